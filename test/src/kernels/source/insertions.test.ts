import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { inserted, originalPlace } from '../../../../src/kernels/source/insertions.ts';
import { sourceMap, withSourceMap } from '../../../../src/kernels/source/source-map.ts';

const TEXT = 'one two\n\nthree(four, five)\nsix';
const INSERTIONS = [
  { offset: 0, text: '<begin>' },
  { offset: 4, text: '<a>' },
  { offset: 4, text: '<bc>' },
  { offset: 7, text: '<end of line>' },
  { offset: 15, text: '<d>' },
  { offset: TEXT.length, text: '<end>' }
];
const RESULT = '<begin>one <a><bc>two<end of line>\n\nthree(<d>four, five)\nsix<end>';

/** Line and column of each word, and what is in a text at such a place. */
function words(text: string): { word: string; line: number; column: number }[] {
  return text.split('\n').flatMap((line, index) =>
    Array.from(line.matchAll(/<[^>]*>|\w+|[(),]/g), ({ 0: word, index: column }) => ({
      word,
      line: index + 1,
      column
    }))
  );
}

test('the text is inserted in order', () => {
  expect(inserted(TEXT, INSERTIONS)).toBe(RESULT);
  expect(inserted(TEXT, [])).toBe(TEXT);
});

test('places of the result are those of the text; inserted text has none', () => {
  const originals = words(TEXT);
  for (const { word, line, column } of words(RESULT)) {
    const original = originals.find(each => each.word === word);
    const expected = original === undefined ? null : { line: original.line, column: original.column };
    expect({ word, place: originalPlace(TEXT, INSERTIONS, { line, column }) }).toEqual({
      word,
      place: expected
    });
  }
});

test('a source map has the same places', () => {
  const trace = new TraceMap({ ...sourceMap(TEXT, INSERTIONS, 'a.ts') });
  for (const { word, line, column } of words(RESULT)) {
    const place = originalPlace(TEXT, INSERTIONS, { line, column });
    const traced = originalPositionFor(trace, { line, column });
    expect({ word, ...traced }).toEqual({
      word,
      source: place && 'a.ts',
      line: place?.line ?? null,
      column: place?.column ?? null,
      name: null
    });
  }
});

test('a map in a comment is of the whole file', () => {
  const [, encoded] = /base64,(\S+)\n$/.exec(withSourceMap(TEXT, INSERTIONS, 'a.ts')) ?? [];
  expect(JSON.parse(Buffer.from(encoded!, 'base64').toString())).toEqual(sourceMap(TEXT, INSERTIONS, 'a.ts'));
});
