import { parseFunction } from '../../../../src/kernels/source/parse.ts';
import { printedBy, root } from '../../../setup/repository.ts';

test.each([
  ['(x: f32): f32 => x * 2', 'ArrowFunctionExpression'],
  ['async x => x', 'ArrowFunctionExpression'],
  ['<T,>(x: T) => { return x as T; }', 'ArrowFunctionExpression'],
  ['function (this: T, x: f32) {}', 'FunctionExpression'],
  ['function f<T>(x: Readonly<DeviceArray<f32, 2>>): void {}', 'FunctionExpression'],
  ['(x) => { let y: f32 = x!; let y = 2; }', 'ArrowFunctionExpression']
])('%s is parsed whole', (text, type) => {
  expect(parseFunction(text)).toMatchObject({ type, start: 0, end: text.length });
});

test('types are in the nodes, with offsets into the text', () => {
  const { params } = parseFunction('(x: f32) => x');
  const type = { type: 'TSTypeReference', start: 4, end: 7, typeName: { name: 'f32' } };
  expect(params).toMatchObject([{ name: 'x', typeAnnotation: { typeAnnotation: type } }]);
});

test.each([
  ['(x) =>\n  x +', 'Unexpected token', 2, 5],
  ['function f( {', 'Unexpected token', 1, 13],
  ['3', 'The text is not a function', 1, 0],
  ['x => x, y => y', 'The text is not a function', 1, 0]
])('%j does not parse', (text, message, line, column) => {
  let thrown: unknown;
  try {
    parseFunction(text);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(SyntaxError);
  expect(thrown).toMatchObject({ message, loc: { line, column } });
});

test('the parser is loaded for the first kernel, not with the library, nor for cells without kernels', async () => {
  const counts = await printedBy(`
    import { registerHooks } from 'node:module';
    let count = 0;
    registerHooks({
      load(url, context, next) {
        if (url.endsWith('/kernels/source/parsers.js')) count += 1;
        return next(url, context);
      }
    });
    const folder = ${JSON.stringify(`${root}/kernel/executor/transform/`)};
    const { compileCell } = await import(folder + 'compile-cell.ts');
    const { NotebookNames } = await import(folder + 'names.ts');
    compileCell('const f = (x: number) => x + 1; [1, 2].map(x => f(x))', new NotebookNames());
    const { cuda, zeros } = await import('stridelab');
    const before = count;
    cuda.map(a => a + 1)(zeros(2, { dtype: 'float32' }));
    console.log(JSON.stringify([before, count]));`);
  expect(counts).toEqual([0, 1]);
});
