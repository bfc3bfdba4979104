// Compiles the published package into dist/: JavaScript, declarations, and the files the code reads beside itself.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join, relative } from 'node:path';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
rmSync(dist, { recursive: true, force: true });
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(sql|json)$/.test(entry.name)) continue;
  const from = join(entry.parentPath ?? entry.path, entry.name);
  cpSync(from, join(dist, relative(root, from)));
}

// The SDK loads the payload converter with require(), and Node before 20.19 does not load an ES module that way.
const converter = readFileSync(join(root, 'workflows/payload-converter.ts'), 'utf8');
const { outputText } = ts.transpileModule(converter, {
  compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
});
writeFileSync(join(dist, 'workflows/payload-converter.cjs'), outputText);
