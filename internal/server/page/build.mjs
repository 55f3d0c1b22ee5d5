// Builds dist from src. The result depends on the sources and the lock file alone, so that it can be compared.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const common = {
  outdir: "dist", bundle: true, minify: true, target: "es2022", jsx: "automatic", jsxImportSource: "preact", legalComments: "none", charset: "utf8", metafile: true,
};

const page = await build({ ...common, entryPoints: ["src/app.tsx", "src/worker.ts", "src/style.css"], format: "esm" });

// The reader of an export asks the file that it stands in, not a server.
const frozen = { name: "frozen", setup: (b) => b.onResolve({ filter: /^\.\/api$/ }, () => ({ path: new URL("src/frozen.ts", import.meta.url).pathname })) };
const reader = await build({ ...common, entryPoints: ["src/reader.tsx"], format: "iife", plugins: [frozen] });

// The licences of all that is in the bundles go with them.
const inputs = Object.keys({ ...page.metafile.inputs, ...reader.metafile.inputs });
const packages = [...new Set(inputs.flatMap((f) => f.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []))].sort();
const licences = packages.map((name) => {
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  const file = ["LICENSE", "LICENSE.md", "LICENSE-MIT.txt", "license"].map((f) => `node_modules/${name}/${f}`).find(existsSync);
  return `${name} ${version} (${license})\n\n${file ? readFileSync(file, "utf8").trim() : ""}\n`;
});
writeFileSync("dist/licences.txt", licences.join("\n" + "-".repeat(80) + "\n\n"));
