import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTimePackages } from '../bundle/run-time-packages.mjs';
import { BUNDLED } from '../setup/bundles.mjs';
import { paths } from '../setup/paths.mjs';

const TEXTS = /^(licen[sc]e|notice|copying|third[-_ ]?party)/i;
const RULE = '='.repeat(80);

/** Libraries inside the binaries of npm packages, which contain no texts for them. */
const WITHIN = new Map([
  [
    'zeromq',
    'Its addon contains libzmq (MPL-2.0), whose source is at https://github.com/zeromq/libzmq, and libsodium (ISC), whose source is at https://github.com/jedisct1/libsodium.'
  ]
]);

/** @param {string} folder of a package @returns {string} its name, version and licence, then the texts that it contains */
function section(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isFile() && TEXTS.test(entry.name))
    .map(entry => readFileSync(join(folder, entry.name), 'utf8').trim())
    .sort();
  const within = WITHIN.get(name);
  return [
    `${RULE}\n${name} ${version}, ${license ?? 'see below'}`,
    ...(within ? [within] : []),
    ...texts
  ].join('\n\n');
}

/** Their inline code is compiled into the addons. */
const HEADERS = ['node-addon-api', 'node-api-headers'].map(name => join(paths.packages, name));

const NATIVE = `${RULE}
The native core contains parts of LLVM's libc++, libc++abi and libunwind (https://llvm.org), which are under the
Apache License 2.0 with LLVM Exceptions, and of GCC's libgcc (https://gcc.gnu.org), which is under the GNU General Public License 3
with the GCC Runtime Library Exception.`;

/** Returns the notices of what is compiled into the addons. */
export const addonNotices = () => document([...HEADERS.map(section), NATIVE]);

/** Returns the notices of the npm packages that are part of the library's bundles. */
export const libraryNotices = () => document(runTimePackages(BUNDLED).map(section));

/** Returns the notices of the npm packages that the kernel loads: some are part of its bundles. */
export const kernelNotices = () => document(runTimePackages().map(section));

/** Returns the notices of the npm packages in the wheel and of what is compiled into the addons. */
export const wheelNotices = () => document([...[...runTimePackages(), ...HEADERS].map(section), NATIVE]);

/** @param {readonly string[]} sections */
const document = sections => `Third-party software in this package\n\n${sections.join('\n\n')}\n`;
