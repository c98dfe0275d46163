import { jest } from '@jest/globals';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LanguageService } from '../../../kernel/front/typescript/language-service.ts';
import { SupervisedServer } from '../../../kernel/front/typescript/supervised-server.ts';
import { LiveMembers } from '../../../kernel/front/executor/live-members.ts';
import { typeSettings } from '../../../kernel/front/types/type-settings.ts';
import { TsConfigReader } from '../../../kernel/protocol/tsconfig.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

// The machine may be busy.
jest.setTimeout(60_000);

let parent: string;
let folder: string;
let service: LanguageService;
beforeEach(() => {
  parent = temporaryFolder();
  folder = join(parent, 'notebooks');
  mkdirSync(folder);
  const server = new SupervisedServer(folder);
  const reader = new TsConfigReader(folder);
  service = new LanguageService(
    folder,
    server,
    () => reader.read(),
    new LiveMembers(
      () => {},
      () => true
    )
  );
});
afterEach(() => {
  service.stop();
});

const write = (place: string, content: object | string): void =>
  writeFileSync(join(folder, place), typeof content === 'string' ? content : JSON.stringify(content));

async function found(code: string): Promise<string[]> {
  const module = service.begin(code);
  const diagnostics = await service.check(module);
  service.commit(module);
  return diagnostics.map(diagnostic => diagnostic.code);
}

const LOOSE = 'function loose(a) { return a }; const o: { a?: 1 } = { a: undefined }; [1][0].toFixed()';

test('without a tsconfig.json cells may have implicit types; those of Node are known, and those of the DOM where cells use them', async () => {
  expect(await found(LOOSE)).toEqual([]);
  expect(await found('process.version; Buffer.from("a"); display(1)')).toEqual([]);
  expect(await found('const n: number = HTMLElement')).toEqual(['TS2322']);
  expect(await found('enum Fine { a }; class P { constructor(readonly a: number) {} }; await 1')).toEqual([]);
});

test('the options of the folder’s own file apply, and those of the new file when it changes', async () => {
  write(
    'tsconfig.json',
    '{ // with a comment\n "compilerOptions": { "strict": false, "lib": ["esnext", "dom"], }, }'
  );
  expect(await found(LOOSE)).toEqual([]);
  expect(await found('document.body; process.version')).toEqual([]);
  write('tsconfig.json', {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      lib: ['esnext']
    }
  });
  expect(await found(LOOSE)).toEqual(['TS7006', 'TS2375', 'TS2532']);
  // Without the DOM, because the file says so; as TypeScript, because it is strict.
  expect(await found('document.body; class P { constructor() { this.a = 1 } }')).toEqual([
    'TS2584',
    'TS2339'
  ]);
  rmSync(join(folder, 'tsconfig.json'));
  expect(await found(LOOSE)).toEqual([]);
});

test('a file in a parent folder, its extends, its paths and its types apply', async () => {
  mkdirSync(join(parent, 'library'));
  mkdirSync(join(parent, 'node_modules/@types/ours'), { recursive: true });
  writeFileSync(join(parent, 'node_modules/@types/ours/index.d.ts'), 'declare const ours: string;');
  writeFileSync(join(parent, 'library/deep.ts'), 'export const deep: number = 1;');
  writeFileSync(join(parent, 'base.json'), JSON.stringify({ compilerOptions: { strict: false } }));
  writeFileSync(
    join(parent, 'tsconfig.json'),
    JSON.stringify({
      extends: './base.json',
      compilerOptions: {
        paths: { '@lib/*': ['./library/*'] },
        types: ['ours'],
        module: 'commonjs',
        target: 'es5',
        composite: true
      },
      include: ['library'],
      exclude: ['**/*.tsx']
    })
  );
  expect(await found(LOOSE)).toEqual([]);
  expect(await found("import { deep } from '@lib/deep'; const s: string = deep")).toEqual(['TS2322']);
  expect(await found('ours.length; process.version; await 1; deep.toFixed()')).toEqual([]);
});

test('a malformed file does not prevent cells from being checked', async () => {
  write('tsconfig.json', '{ "compilerOptions": ');
  expect(await found('const a: string = 1')).toEqual(['TS2322']);
});

test('cells with elements are checked as TSX', async () => {
  expect(await found('const answer = 1; const cast = <T,>(value: T) => value; cast<number>(answer)')).toEqual(
    []
  );
  const codes = await found('const element = <b>bold</b>');
  expect(codes.filter(code => code < 'TS2000')).toEqual([]);
});

test('a type import without "type" is reported where the run would fail', async () => {
  write('shapes.ts', 'export interface Shape { a: 1 }; export type lower = 1');
  expect(await found("import { Shape } from './shapes'")).toEqual([]);
  expect(await found('const shape: Shape = { a: 2 }')).toEqual(['TS2322']);
  expect(await found("import { lower } from './shapes'")).toEqual(['TS1484']);
  expect(await found("import { lower } from './shapes'; let s: lower")).toEqual(['TS1484']);
  expect(await found("import { type lower } from './shapes'; let s: lower")).toEqual([]);
  write('tsconfig.json', { compilerOptions: { verbatimModuleSyntax: true } });
  expect(await found("import { Shape } from './shapes'")).toEqual(['TS1484']);
});

test('the mode comes from the magic, then the environment, then the file', () => {
  const file = { stridelab: { types: 'strict', typesDeadline: 300 } };
  const environment = { STRIDELAB_TYPES: 'off', STRIDELAB_TYPES_DEADLINE: '40' };
  expect(typeSettings(undefined, {}, { stridelab: {} })).toEqual({
    mode: 'warn',
    deadline: 2000,
    faults: []
  });
  expect(typeSettings(undefined, {}, file)).toEqual({ mode: 'strict', deadline: 300, faults: [] });
  expect(typeSettings(undefined, environment, file)).toEqual({ mode: 'off', deadline: 40, faults: [] });
  expect(typeSettings('warn', environment, file)).toMatchObject({ mode: 'warn' });
});

test('invalid settings are reported and ignored', () => {
  const file = { stridelab: { types: 'lenient', typesDeadline: -1 } };
  expect(typeSettings(undefined, { STRIDELAB_TYPES: 'STRICT' }, file)).toEqual({
    mode: 'warn',
    deadline: 2000,
    faults: [
      'STRIDELAB_TYPES is "STRICT", expected strict, warn or off.',
      '"stridelab": {"types"} in tsconfig.json is "lenient", expected strict, warn or off.',
      '"stridelab": {"typesDeadline"} in tsconfig.json is -1, expected a number of milliseconds above 0.'
    ]
  });
});
