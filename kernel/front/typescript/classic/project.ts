/** The documents and settings of a notebook as the TypeScript 6 library wants to be given them. */

import { dirname, join } from 'node:path';
import ts from 'typescript';
import type { LspPosition, LspRange } from '../lsp-types.ts';

interface OpenDocument {
  readonly text: string;
  readonly version: string;
}

const SOURCE = /\.tsx?$/;

export class ClassicProject {
  readonly service: ts.LanguageService;
  readonly #settingsFile: string;
  readonly #documents = new Map<string, OpenDocument>();
  /** How often files on disk have changed. */
  readonly #diskVersions = new Map<string, number>();
  #settings: ts.ParsedCommandLine | undefined;
  #version = 0;

  constructor(folder: string) {
    this.#settingsFile = join(folder, 'tsconfig.json');
    const readFile = (path: string): string | undefined =>
      this.#documents.get(path)?.text ?? ts.sys.readFile(path);
    const fileExists = (path: string): boolean => this.#documents.has(path) || ts.sys.fileExists(path);
    const host: ts.LanguageServiceHost = {
      getCompilationSettings: () => this.#parsed(readFile, fileExists).options,
      getScriptFileNames: () => [...this.#documents.keys()].filter(path => SOURCE.test(path)),
      getScriptVersion: path =>
        this.#documents.get(path)?.version ?? String(this.#diskVersions.get(path) ?? 0),
      getScriptSnapshot: path => {
        const text = readFile(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getProjectVersion: () => String(this.#version),
      getCurrentDirectory: () => folder,
      getDefaultLibFileName: options => ts.getDefaultLibFilePath(options),
      readFile,
      fileExists,
      directoryExists: path => ts.sys.directoryExists(path),
      getDirectories: path => ts.sys.getDirectories(path),
      readDirectory: (...question) => ts.sys.readDirectory(...question),
      ...(ts.sys.realpath === undefined ? {} : { realpath: ts.sys.realpath })
    };
    this.service = ts.createLanguageService(host, ts.createDocumentRegistry());
  }

  write(path: string, text: string): void {
    this.#version += 1;
    this.#documents.set(path, { text, version: `open ${this.#version}` });
    if (!SOURCE.test(path)) this.#settings = undefined;
  }

  close(path: string): void {
    this.#version += 1;
    this.#documents.delete(path);
  }

  changedOnDisk(paths: readonly string[]): void {
    this.#version += 1;
    for (const path of paths) this.#diskVersions.set(path, (this.#diskVersions.get(path) ?? 0) + 1);
  }

  /** Throws for a file that is not part of the program. */
  source(path: string): ts.SourceFile {
    const source = this.service.getProgram()?.getSourceFile(path);
    if (source === undefined) throw new Error(`${path} is not part of the notebook`);
    return source;
  }

  offsetAt(path: string, { line, character }: LspPosition): number {
    return this.source(path).getPositionOfLineAndCharacter(line, character);
  }

  range(source: ts.SourceFile, { start, length }: ts.TextSpan): LspRange {
    return {
      start: source.getLineAndCharacterOfPosition(start),
      end: source.getLineAndCharacterOfPosition(start + length)
    };
  }

  #parsed(
    readFile: (path: string) => string | undefined,
    fileExists: (path: string) => boolean
  ): ts.ParsedCommandLine {
    this.#settings ??= ts.parseJsonConfigFileContent(
      ts.readConfigFile(this.#settingsFile, readFile).config,
      { readFile, fileExists, readDirectory: () => [], useCaseSensitiveFileNames: true },
      dirname(this.#settingsFile),
      undefined,
      this.#settingsFile
    );
    return this.#settings;
  }
}
