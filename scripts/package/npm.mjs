import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from '../setup/child.mjs';
import { addonManifest, kernelManifest, libraryManifest } from './manifests.mjs';
import { addonNotices } from './notices.mjs';
import { packagesFolder, stagingFolder } from './places.mjs';
import { checkImports, kernelFiles, layAddons, layTree, libraryFiles } from './tree.mjs';

/** Makes the three npm packages in `build/packages/npm`. Needs the compiled product and the portable addons. */
export async function packNpm() {
  const target = join(packagesFolder, 'npm');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await pack(target, 'library', libraryFiles, libraryManifest);
  await pack(target, 'kernel', kernelFiles, kernelManifest);
  await pack(target, 'linux-x64-gnu', ['LICENSE'], addonManifest, folder => {
    layAddons(folder);
    writeFileSync(join(folder, 'THIRD_PARTY_NOTICES.txt'), addonNotices());
  });
}

/**
 * @param {string} target folder of the tarball
 * @param {string} name of the staging folder and of the page in `readme`
 * @param {readonly string[]} files
 * @param {{ name: string, dependencies?: Record<string, string> }} manifest
 * @param {(folder: string) => void} [add]
 */
async function pack(target, name, files, manifest, add) {
  const folder = join(stagingFolder, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  layTree(folder, files, manifest);
  cpSync(new URL(`readme/${name}.md`, import.meta.url), join(folder, 'README.md'));
  add?.(folder);
  checkImports(folder, manifest);
  await runStep(`npm-pack-${name}`, 'npm', ['pack', '--silent', '--pack-destination', target], {
    cwd: folder,
    fix: "see npm's errors above."
  });
}
