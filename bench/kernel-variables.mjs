/**
 * Compares two ways to keep the variables of cells: names in the script scope, and properties of an object.
 * Run: node bench/kernel-variables.mjs
 */
import { runInThisContext } from 'node:vm';

const LOOP = 5e7;
const NEW_NAMES = 500;

function milliseconds(work) {
  const begin = performance.now();
  work();
  return performance.now() - begin;
}

const best = work => Math.min(...Array.from({ length: 3 }, () => milliseconds(work)));
const loop = name =>
  `(function (scope) { "use strict"; ${name} = 0; for (let i = 0; i < ${LOOP}; i++) ${name} += i; })`;

class Scope {}

function measure(count) {
  const prefix = `n${count}_`;
  // One script for ten names, like cells with ten declarations.
  for (let i = 0; i < count; i += 10) {
    runInThisContext(`let ${Array.from({ length: 10 }, (_, j) => `${prefix}${i + j}`).join()}`);
  }
  runInThisContext(`let ${prefix}sum`);
  const one = new Scope();
  for (let i = 0; i < count; i += 1) one[prefix + i] = i;
  const perCell = { sum: 0, other: 1 };
  const fresh = Array.from({ length: NEW_NAMES }, (_, i) => `${prefix}fresh${i}`);
  const declare = milliseconds(() => fresh.forEach(name => runInThisContext(`let ${name}`))) / NEW_NAMES;
  const scriptLoop = runInThisContext(loop(`${prefix}sum`));
  const oneLoop = runInThisContext(loop('scope.sum'));
  const cellLoop = runInThisContext(loop('scope.sum'));
  return {
    'names before': count,
    'script scope, ms': Math.round(best(() => scriptLoop())),
    'one object, ms': Math.round(best(() => oneLoop(one))),
    'object per cell, ms': Math.round(best(() => cellLoop(perCell))),
    'declaring a name, us': Number((declare * 1000).toFixed(1))
  };
}

const local = runInThisContext(
  `(function () { let sum = 0; for (let i = 0; i < ${LOOP}; i++) sum += i; return sum; })`
);
console.log(`${LOOP} additions; with a local: ${Math.round(best(() => local()))} ms`);
console.table([0, 1_000, 10_000].map(measure));
