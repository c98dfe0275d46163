import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTimePackages } from '../bundle/run-time-packages.mjs';
import { capture } from '../setup/child.mjs';
import { SetupFailure } from '../setup/failure.mjs';
import { checkout } from './manifests.mjs';

/** @typedef {{ 'bom-ref': string }} Component */
/** @typedef {{ ref: string, dependsOn?: string[] }} Dependency */

/**
 * Returns the bill of materials of the wheel as CycloneDX JSON: the npm packages in it, and the libraries inside their binaries.
 * It has neither a serial number nor the time of the build, so that two builds are equal.
 * @returns {Promise<string>}
 */
export async function billOfMaterials() {
  // npm's own selection by --omit=dev lacks packages that development dependencies need too.
  const { status, output } = await capture('npm', ['sbom', '--sbom-format', 'cyclonedx']);
  if (status !== 0)
    throw new SetupFailure(`npm sbom failed: ${output}\nrun npm ci, and use the npm of Node 20.19 or newer.`);
  const { serialNumber: _, metadata, components, dependencies, ...bom } = JSON.parse(output);
  const { timestamp: __, ...build } = metadata;
  const own = build.component['bom-ref'];
  const kept = new Set([own, ...runTimePackages().map(reference)]);
  const within = await withinZeromq();
  const isKept = (/** @type {string} */ ref) => kept.has(ref);
  return `${JSON.stringify(
    {
      ...bom,
      metadata: { ...build, component: { ...build.component, name: checkout.name } },
      components: [
        ...components.filter((/** @type {Component} */ component) => isKept(component['bom-ref'])),
        ...within
      ],
      dependencies: dependencies
        .filter((/** @type {Dependency} */ { ref }) => isKept(ref))
        .map((/** @type {Dependency} */ { ref, dependsOn = [] }) => ({
          ref,
          dependsOn: dependsOn.filter(isKept)
        }))
    },
    null,
    2
  )}\n`;
}

/** @param {string} folder of a package @returns {string} its reference in npm's list */
function reference(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name}@${version}`;
}

/** Returns the libraries inside the addon of zeromq, which npm does not know. */
async function withinZeromq() {
  const { version } = await import('zeromq');
  return [
    {
      name: 'libzmq',
      version,
      purl: `pkg:github/zeromq/libzmq@v${version}`,
      licenses: [{ license: { id: 'MPL-2.0' } }]
    },
    { name: 'libsodium', purl: 'pkg:github/jedisct1/libsodium', licenses: [{ license: { id: 'ISC' } }] }
  ].map(library => ({ type: 'library', 'bom-ref': library.name, ...library }));
}
