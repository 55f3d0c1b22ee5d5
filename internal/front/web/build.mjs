// Builds dist and the reader of exports from src. The result depends on the sources and the lock file alone, so
// that it can be compared. The reader goes to the folder that is named, or to where Go's export embeds it.
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { build } from "esbuild";

const common = {
  bundle: true, minify: true, target: "es2022", jsx: "automatic", jsxImportSource: "preact", legalComments: "none",
  charset: "utf8", metafile: true,
};

for (const old of existsSync("dist") ? readdirSync("dist") : []) rmSync("dist/" + old);

// A name has the hash of what is in the file, so that a browser keeps it for good. The editor is a file of its own:
// the page is there before it.
const hashed = { ...common, outdir: "dist", format: "esm", entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]" };
const worker = await build({ ...hashed, entryPoints: ["src/worker.ts"] });
const page = await build({
  ...hashed, entryPoints: ["src/app.tsx", "src/style.css"], splitting: true,
  define: { WORKER: JSON.stringify(basename(Object.keys(worker.metafile.outputs)[0])) },
});

// The reader of an export asks the file that it stands in, not a server.
const offline = {
  name: "offline", setup: (b) =>
  b.onResolve({ filter: /^\.\/api$/ }, () => ({ path: new URL("src/offline.ts", import.meta.url).pathname })),
};
const readerDir = process.argv[2] ?? "../../../runner/trajectory/export/reader";
const reader = await build({
  ...common, outdir: readerDir, entryPoints: ["src/reader.tsx", "src/style.css"], format: "iife", plugins: [offline],
  define: { "import.meta.url": '""' },
});

/** licencesOf are the licences of what is in a bundle: they go with it. */
function licencesOf(inputs) {
  const packages = [...new Set(inputs.flatMap((f) =>
    f.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []))].sort();
  const licences = packages.map((name) => {
    const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
    const file = ["LICENSE", "LICENSE.md", "LICENSE-MIT.txt", "license"].map((f) => `node_modules/${name}/${f}`)
      .find(existsSync);
    return `${name} ${version} (${license})\n\n${file ? readFileSync(file, "utf8").trim() : ""}\n`;
  });
  return licences.join("\n" + "-".repeat(80) + "\n\n");
}

writeFileSync("dist/licences.txt", licencesOf(Object.keys(page.metafile.inputs)));
appendFileSync(`${readerDir}/reader.js`, `/*\n${licencesOf(Object.keys(reader.metafile.inputs))}*/\n`);
