// Builds the page into closedhand/web/static. With --check: says whether what is there is that build.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";

const OUT = new URL("../closedhand/web/static/", import.meta.url);
const checking = process.argv.includes("--check");

const result = await build({
  entryPoints: { app: "src/main.tsx", replay: "src/static.tsx" },
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022"],
  outdir: "out",
  write: false,
  legalComments: "none",
  charset: "utf8",
});

const files = Object.fromEntries(
  result.outputFiles.map((file) => [file.path.split("/").pop(), file.text]),
);
for (const name of ["index.html", "icon.svg"]) files[name] = await readFile(`src/${name}`, "utf8");

let differs = 0;
await mkdir(OUT, { recursive: true });
for (const [name, text] of Object.entries(files)) {
  const path = new URL(name, OUT);
  if (!checking) await writeFile(path, text);
  else if ((await readFile(path, "utf8").catch(() => "")) !== text) {
    console.error(`closedhand/web/static/${name} is not what the sources in web/ build: make web`);
    differs = 1;
  }
}
process.exit(differs);
