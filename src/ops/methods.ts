/** Adds the most common operations as methods to arrays. Imported for its effect. */

import { addMembers } from '../base/add-members.ts';
import { NDArray } from '../array/array.ts';
import './method-types.ts';
import { astype } from './convert.ts';
import * as functions from './functions.ts';
import { take } from './joining.ts';
import { matmul } from './matmul.ts';
import * as reductions from './reductions.ts';

const METHODS = {
  add: functions.add,
  subtract: functions.subtract,
  multiply: functions.multiply,
  divide: functions.divide,
  floorDivide: functions.floorDivide,
  remainder: functions.remainder,
  pow: functions.pow,
  negative: functions.negative,
  abs: functions.abs,
  equal: functions.equal,
  notEqual: functions.notEqual,
  less: functions.less,
  lessEqual: functions.lessEqual,
  greater: functions.greater,
  greaterEqual: functions.greaterEqual,
  astype,
  sum: reductions.sum,
  prod: reductions.prod,
  mean: reductions.mean,
  min: reductions.min,
  max: reductions.max,
  any: reductions.any,
  all: reductions.all,
  argmin: reductions.argmin,
  argmax: reductions.argmax,
  cumsum: reductions.cumsum,
  matmul,
  take
};

/** Makes methods of functions; their first operand is the object on which they are called. */
function asMethods(functions: Readonly<Record<string, unknown>>): object {
  const methods = Object.entries(functions).map(([name, member]) => {
    const call = member as (...operands: unknown[]) => unknown;
    const method = function (this: unknown, ...operands: unknown[]): unknown {
      return call(this, ...operands);
    };
    return [name, method] as const;
  });
  return Object.fromEntries(methods);
}

addMembers(NDArray.prototype, asMethods(METHODS));
