import { didYouMean } from '../../../src/base/did-you-mean.ts';
import {
  add,
  arange,
  concatenate,
  empty,
  Event,
  RandomGenerator,
  Stream,
  sum,
  zeros,
  type CreationOptions
} from '../../../src/index.ts';
import { toDType } from '../../../src/dtype/resolve.ts';

const sim = { device: 'sim:0' } as const;

test.each([
  ['flaot32', "did you mean 'float32'?"],
  ['Float32', "did you mean 'float32'?"],
  ['np.float32', "did you mean 'float32'?"],
  ['f32', "did you mean 'float32'?"],
  ['f4', "did you mean 'float32'?"],
  ['i8', "did you mean 'int8' or 'int64'?"],
  ['float', "did you mean 'float32' or 'float64'?"],
  ['boolean', "did you mean 'bool'?"],
  ['bf16', "did you mean 'bfloat16'?"],
  ['torch.half', "did you mean 'float16'?"],
  ['float8_e4m3f', "did you mean 'float8_e4m3' or 'float8_e4m3fn'?"]
])('dtype %s: %s', (name, guess) => {
  expect(() => toDType(name)).toThrow(`unknown dtype '${name}': ${guess}`);
  expect(() => zeros(2, { ...sim, dtype: name })).toThrow(guess);
  expect(() => arange(2, sim).astype(name)).toThrow(guess);
});

test.each(['xyzzy', '', 'constructor', '__proto__'])('nothing is similar to dtype %j', name => {
  expect(() => toDType(name)).toThrow(`unknown dtype '${name}': expected a name (bool, `);
});

test.each<readonly [string, (options: CreationOptions) => unknown]>([
  ['zeros', options => zeros(2, options)],
  ['empty', options => empty(2, options)],
  ['arange', options => arange(2, options)],
  ['random numbers', options => new RandomGenerator().uniform(2, options as object)]
])('%s: an unknown option is refused with a suggestion', (_, make) => {
  expect(() => make({ ...sim, dytpe: 'float32' } as CreationOptions)).toThrow(
    /unknown option 'dytpe': did you mean 'dtype'\?/
  );
});

test('so are those of operations, streams and events', () => {
  const a = arange(4, sim);
  expect(() => sum(a, Object.fromEntries([['keepdims', true]]))).toThrow(
    /'keepdims': did you mean 'keepDims'\?/
  );
  expect(() => add(a, 1, { outt: a } as object)).toThrow(/'outt': did you mean 'out'\?/);
  expect(() => concatenate([a, a], { axes: 0 } as object)).toThrow(/'axes': did you mean 'axis'\?/);
  expect(() => new Stream({ ...sim, prio: 1 } as object)).toThrow(
    /Stream: unknown option 'prio': did you mean 'priority'\?/
  );
  expect(() => new Event({ ...sim, zzz: 1 } as object)).toThrow(
    /Event: unknown option 'zzz'; expected device, timing/
  );
});

test.each([
  ['zeroes', ['zeros', 'ones'], ": did you mean 'zeros'?"],
  ['nothing', ['zeros'], ''],
  ['', ['a'], '']
])('of %j and %j: %j', (word, known, guess) => {
  expect(didYouMean(word, known)).toBe(guess);
});
