/** Memory of a process and its descendants, from /proc. */

import { readdirSync, readFileSync } from 'node:fs';

const MIB = 1024;

/** Returns the process, followed by its descendants. @param {number} root @returns {number[]} pids */
export function processTree(root) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** Returns the resident and proportional memory of the process and its descendants, in MiB. @param {number} root */
export function treeMemory(root) {
  const parts = processTree(root).map(memoryOf);
  const sum = (/** @type {'rss' | 'pss'} */ key) => parts.reduce((total, part) => total + part[key], 0);
  return { rss: sum('rss'), pss: sum('pss'), processes: parts.length };
}

/** Returns the memory of one process in MiB; zero if it has exited. @param {number} pid */
export function memoryOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const read = (/** @type {string} */ key) =>
      Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / MIB;
    return { rss: read('Rss'), pss: read('Pss') };
  } catch {
    return { rss: 0, pss: 0 };
  }
}

/** @param {string} pid @returns {number | undefined} */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain any character.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
