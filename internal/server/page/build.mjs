// Builds dist and the reader of exports from src. The result depends on the sources and the lock file alone, so that it can be compared.
// The reader goes to the folder that is named, or to where Go's export embeds it.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const common = {
  bundle: true, minify: true, target: "es2022", jsx: "automatic", jsxImportSource: "preact", legalComments: "none", charset: "utf8", metafile: true,
};

// The editor is a file of its own: the page is there before it.
const page = await build({ ...common, outdir: "dist", entryPoints: ["src/app.tsx", "src/style.css"], format: "esm", splitting: true, chunkNames: "[name]" });
await build({ ...common, outdir: "dist", entryPoints: ["src/worker.ts"], format: "esm" });

// The reader of an export asks the file that it stands in, not a server.
const frozen = { name: "frozen", setup: (b) => b.onResolve({ filter: /^\.\/api$/ }, () => ({ path: new URL("src/frozen.ts", import.meta.url).pathname })) };
const readerDir = process.argv[2] ?? "../../../runner/trajectory/export/reader";
const reader = await build({ ...common, outdir: readerDir, entryPoints: ["src/reader.tsx", "src/style.css"], format: "iife", plugins: [frozen] });

/** licencesOf are the licences of what is in a bundle: they go with it. */
function licencesOf(inputs) {
  const packages = [...new Set(inputs.flatMap((f) => f.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []))].sort();
  const licences = packages.map((name) => {
    const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
    const file = ["LICENSE", "LICENSE.md", "LICENSE-MIT.txt", "license"].map((f) => `node_modules/${name}/${f}`).find(existsSync);
    return `${name} ${version} (${license})\n\n${file ? readFileSync(file, "utf8").trim() : ""}\n`;
  });
  return licences.join("\n" + "-".repeat(80) + "\n\n");
}

writeFileSync("dist/licences.txt", licencesOf(Object.keys(page.metafile.inputs)));
appendFileSync(`${readerDir}/reader.js`, `/*\n${licencesOf(Object.keys(reader.metafile.inputs))}*/\n`);
