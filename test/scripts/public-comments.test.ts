import { relative, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '../..');
const ENTRIES = [
  'src/index.ts',
  'src/memory.ts',
  'src/sharing.ts',
  'src/collectives.ts',
  'src/notebook/index.ts',
  'kernel/widgets/index.ts'
];
/** Beginnings that mean nothing in a hover, which shows only one comment. */
const LEANING = /^(the same(?! (memory|process|device)\b)|same as|as above|ditto)\b/i;

/** Rooms whose records have fields with names that need no comment. */
const PLAIN_RECORDS = /^src\/(recording|pictures|core\/recording)\b/;
const MEMBERS_NOT_WRITTEN = ['prototype', '__constructor', '__export'];

interface Member {
  readonly name: string;
  readonly place: string;
  readonly comment: string;
}

/** The exports of the files, with the members of classes and interfaces, each with its hover comment. */
function publicMembers(
  entries: readonly string[],
  sources: ReadonlyMap<string, string> = new Map()
): Member[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    noLib: true,
    types: []
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = file => sources.has(file) || fileExists(file);
  host.readFile = file => sources.get(file) ?? readFile(file);
  host.getSourceFile = (file, target) => {
    const text = sources.get(file);
    return text === undefined ? getSourceFile(file, target) : ts.createSourceFile(file, text, target);
  };
  const program = ts.createProgram(entries, options, host);
  const checker = program.getTypeChecker();
  const members = new Map<string, Member>();
  const add = (symbol: ts.Symbol, name: string): void => {
    const declaration = symbol.declarations?.[0];
    const file = declaration?.getSourceFile();
    if (file === undefined || /node_modules|\.generated\./.test(file.fileName)) return;
    const line = file.getLineAndCharacterOfPosition(declaration!.getStart()).line + 1;
    const place = `${relative(ROOT, file.fileName)}:${line}`;
    const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
    members.set(`${place} ${name}`, { name, place, comment });
  };
  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!);
    for (const exported of checker.getExportsOfModule(module!)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      // A namespace is the file, whose comment is its header.
      if (symbol.flags & ts.SymbolFlags.ValueModule) continue;
      add(symbol, symbol.name);
      const statics = symbol.flags & ts.SymbolFlags.Class ? [...(symbol.exports?.values() ?? [])] : [];
      for (const member of [...(symbol.members?.values() ?? []), ...statics])
        if (isPublic(member)) add(member, `${symbol.name}.${member.name}`);
    }
  }
  return [...members.values()];
}

function isPublic(member: ts.Symbol): boolean {
  const declaration = member.declarations?.[0] as ts.NamedDeclaration | undefined;
  if (declaration === undefined || MEMBERS_NOT_WRITTEN.includes(member.name)) return false;
  if (member.flags & (ts.SymbolFlags.TypeParameter | ts.SymbolFlags.Signature)) return false;
  // Well-known symbols such as Symbol.dispose are defined by the language.
  if (
    declaration.name !== undefined &&
    (ts.isPrivateIdentifier(declaration.name) || ts.isComputedPropertyName(declaration.name))
  )
    return false;
  return !(
    ts.getCombinedModifierFlags(declaration) &
    (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)
  );
}

const faults = (members: readonly Member[]): string[] =>
  members
    .filter(({ comment, place }) => (comment === '' && !PLAIN_RECORDS.test(place)) || LEANING.test(comment))
    .map(({ name, place, comment }) => `${name} (${place}): ${comment === '' ? 'no doc comment' : comment}`);

test('each public member has a doc comment that stands alone', () => {
  const members = publicMembers(ENTRIES.map(file => resolve(ROOT, file)));
  expect(members.length).toBeGreaterThan(1000);
  expect(faults(members)).toEqual([]);
}, 60_000);

test('a missing comment and one that refers to another are found', () => {
  const file = resolve(ROOT, 'planted.ts');
  const source = `
    /** A thing. */
    export class Thing {
      /** Its size, in bytes. */
      readonly size = 0;
      bare = 1;
      /** The same without blocking. */
      later(): void {}
      #hidden = 2;
      private secret = 3;
    }
    export function naked(): void {}
    /** The same memory, seen twice. */
    export const twice = 2;`;
  expect(faults(publicMembers([file], new Map([[file, source]])))).toEqual([
    'naked (planted.ts:12): no doc comment',
    'Thing.bare (planted.ts:6): no doc comment',
    'Thing.later (planted.ts:8): The same without blocking.'
  ]);
});
