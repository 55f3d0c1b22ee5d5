// Builds dist from src. The result depends on the sources and the lock file alone, so that it can be compared.
import { build } from "esbuild";

await build({
  entryPoints: ["src/app.tsx", "src/worker.ts", "src/style.css"],
  outdir: "dist",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "linked",
  charset: "utf8",
});
