/** Language features for the cells of a notebook: maintains the TypeScript server's documents and queries it. */

import { basename } from 'node:path';
import { mayHaveKernelCalls } from '../../../src/kernels/source/kernel-calls.ts';
import { remoteMentions } from '../../protocol/remote-specifiers.ts';
import { parseMagics } from '../../protocol/magics.ts';
import { codeWithPythonNames } from '../../protocol/python-magic.ts';
import type { TsConfig } from '../../protocol/tsconfig.ts';
import { positionAt, toUtf16 } from './text-positions.ts';
import { inCells, movedPosition } from './cell-places.ts';
import type { LiveMembers } from '../executor/live-members.ts';
import { cellDiagnostics, NO_TYPES, type CellDiagnostic } from './diagnostics.ts';
import { CellComposer, isMovable, type CellModule } from './composer.ts';
import { complete } from './completion.ts';
import { DiskChanges } from './disk-changes.ts';
import { inspect } from './inspection.ts';
import type { DiagnosticReport } from './lsp-types.ts';
import { namesOf } from './library-names.ts';
import { ownExports } from './own-exports.ts';
import { projectDocuments } from './project.ts';
import { isTolerated } from './relaxed-checks.ts';
import { RemoteTypes, type RemotePaths } from './remote-types.ts';
import type { SupervisedServer } from './supervised-server.ts';

/** A cell that is being edited, ready to be queried. */
export interface Draft {
  readonly folder: string;
  readonly code: string;
  /** In UTF-16 units. */
  readonly cursor: number;
  readonly module: CellModule;
  readonly uri: string;
  request<Result>(method: string, parameters: object): Promise<Result>;
  /** Asks about the place at an offset. */
  ask<Result>(method: string, offset: number, more?: object): Promise<Result>;
}

export class LanguageService {
  readonly #folder: string;
  readonly #server: SupervisedServer;
  readonly #readConfig: () => TsConfig;
  readonly #live: LiveMembers;
  readonly #disk: DiskChanges;
  #composer = new CellComposer();
  readonly #remote: RemoteTypes;
  #config: TsConfig | undefined;
  #paths: RemotePaths | undefined;
  /** Whether a cell used the DOM. */
  #dom = false;
  /** Reports of packages without types. */
  readonly #untyped = new Set<string>();
  /** Documents that every question needs. */
  #project: readonly string[] = [];
  /** Questions share the draft document, so each waits for the previous one. */
  #lastQuestion: Promise<unknown> = Promise.resolve();
  /** Modules being checked: their documents must be open, so they are not movable yet. */
  readonly #checking = new Set<CellModule>();
  /** Checks run one at a time, so that interactive questions are answered in between. */
  #lastCheck: Promise<unknown> = Promise.resolve();

  /** Constructs the service. `readConfig` returns one object for as long as the user's settings are unchanged. */
  constructor(folder: string, server: SupervisedServer, readConfig: () => TsConfig, live: LiveMembers) {
    this.#folder = folder;
    this.#server = server;
    this.#readConfig = readConfig;
    this.#live = live;
    this.#disk = new DiskChanges(folder);
    this.#remote = new RemoteTypes(folder);
  }

  /** Returns the TypeScript of a cell: text meant for the kernel is blanked. */
  codeOf(source: string): string {
    const { names } = this.#composer;
    return codeWithPythonNames(parseMagics(source, word => names.has(word)));
  }

  /** Called when a cell starts. Until `commit` or `drop` it can be checked. */
  begin(code: string): CellModule {
    const module = this.#composer.begin(code, this.#readConfig().compilerOptions);
    this.#remote.mention(module.remote);
    return module;
  }

  /** Returns whether a cell imports remote modules that are not installed yet. */
  missesModules(code: string): boolean {
    return this.#remote.isMissing(remoteMentions(code));
  }

  /** Makes the names of a cell known after it ran: all, or those that it assigned before it was stopped. */
  commit(module: CellModule, assigned?: ReadonlySet<string>): void {
    this.#composer.commit(module, assigned);
    this.#write(module, isMovable(module) && !this.#checking.has(module));
    this.#prune();
  }

  drop(module: CellModule): void {
    this.#composer.drop(module);
    this.#removeUnneeded(module);
    this.#prune();
  }

  /** Returns the diagnostics of a cell; none if it does not parse, because running it reports that. `isRunning`: it runs meanwhile; the server is asked after `turn`. */
  async check(
    module: CellModule,
    isRunning = false,
    turn?: Promise<void>
  ): Promise<readonly CellDiagnostic[]> {
    if (!module.facts.valid) return [];
    const kinds = this.#composer.names;
    const library = this.#composer.library(module);
    const members = this.#composer.members(module);
    const release = this.#composer.hold(module);
    this.#checking.add(module);
    const answer = Promise.all([this.#lastCheck, turn]).then(() => {
      this.#prepare(module);
      this.#write(module);
      return this.#request<DiagnosticReport>(module, 'textDocument/diagnostic', {
        textDocument: { uri: this.#server.uri(module.file) }
      });
    });
    this.#lastCheck = answer
      .catch(() => undefined)
      .then(() => {
        release();
        this.#checking.delete(module);
        this.#removeUnneeded(module);
        this.#prune();
      });
    const { items } = await answer;
    const kernels = mayHaveKernelCalls(module.code, namesOf('cuda', library))
      ? (await import('./kernel-problems.ts')).kernelProblems(module.code, library)
      : [];
    const { compilerOptions } = this.#readConfig();
    const found = cellDiagnostics(
      module,
      items.filter(item => !isTolerated(item, module, members, compilerOptions)),
      name => kinds.get(name)?.kind,
      name => ownExports().get(name),
      isRunning
    );
    return [...kernels, ...found.filter(diagnostic => this.#isNews(diagnostic))];
  }

  /** Returns the content of a `complete_reply`; cursors count code points. */
  complete(code: string, cursor: number): Promise<object> {
    return this.#ask(code, cursor, draft => complete(draft, this.#live));
  }

  /** Returns the content of an `inspect_reply`; `detail` is the protocol's level, 0 or 1. */
  inspect(code: string, cursor: number, detail: number): Promise<object> {
    return this.#ask(code, cursor, draft =>
      inspect(draft, detail, file => this.#composer.module(file)?.code)
    );
  }

  reset(): void {
    this.#composer = new CellComposer(this.#composer.count);
    this.#server.removeAll();
    this.#config = undefined;
    this.#dom = false;
  }

  stop(): void {
    this.#server.stop();
  }

  #ask(code: string, cursor: number, question: (draft: Draft) => Promise<object>): Promise<object> {
    const answer = this.#lastQuestion.then(() => question(this.#draft(code, toUtf16(code, cursor))));
    this.#lastQuestion = answer.catch(() => undefined);
    return answer;
  }

  #draft(code: string, cursor: number): Draft {
    const module = this.#composer.draft(code, cursor, this.#readConfig().compilerOptions);
    this.#prepare(module);
    this.#write(module);
    const uri = this.#server.uri(module.file);
    const request: Draft['request'] = (method, parameters) => this.#request(module, method, parameters);
    const ask: Draft['ask'] = (method, offset, more) => {
      const position = movedPosition(positionAt(module.text, offset), headerLines(module));
      return request(method, { textDocument: { uri }, position, ...more });
    };
    return { folder: this.#folder, code, cursor, module, uri, request, ask };
  }

  /** Returns whether the session has not been told yet: a package without types is reported once. */
  #isNews({ code, message }: CellDiagnostic): boolean {
    if (code !== NO_TYPES) return true;
    const isNews = !this.#untyped.has(message);
    this.#untyped.add(message);
    return isNews;
  }

  #write(module: CellModule, movable = false): void {
    this.#server.write(module.file, module.header + module.text, movable);
  }

  /** Asks about a module; places in the answer are those in cells. */
  async #request<Result>(module: CellModule, method: string, parameters: object): Promise<Result> {
    const files = [...this.#project, ...this.#composer.dependencies(module), module.file];
    const own = this.#server.uri(module.file);
    const answer = await this.#server.request<Result>(method, parameters, files);
    return inCells(answer, own, uri =>
      headerLines(uri === own ? module : this.#composer.module(basename(uri)))
    );
  }

  /** Updates the server to the current state of the disk. */
  #prepare({ facts, remote }: CellModule): void {
    const config = this.#readConfig();
    const packages = this.#disk.packagesChanged();
    const { names } = this.#composer;
    const dom = this.#dom || facts.dom.values().some(name => !names.has(name));
    const events = this.#disk.look([...facts.modules, ...this.#composer.modules()]);
    this.#remote.mention([...remote, ...this.#disk.remote()]);
    const paths = this.#remote.paths();
    const changed = config !== this.#config || paths !== this.#paths || dom !== this.#dom;
    if (changed) {
      const { scratchFolder } = this.#server;
      const documents = projectDocuments(this.#folder, scratchFolder, config, { remote: paths, dom });
      for (const { file, text } of documents) this.#server.write(file, text);
      this.#project = documents.map(({ file }) => file);
    }
    // The server caches failed look-ups of packages.
    if (packages || (this.#config !== undefined && changed)) this.#server.restart();
    this.#config = config;
    this.#paths = paths;
    this.#dom = dom;
    if (events.length > 0) this.#server.filesChanged(events);
  }

  /** Removes the document of a check that later cells overtook: they had replaced its names before it began. */
  #removeUnneeded(module: CellModule): void {
    if (!this.#composer.needs(module)) this.#server.remove(module.file);
  }

  #prune(): void {
    for (const file of this.#composer.prune()) this.#server.remove(file);
  }
}

function headerLines(module: CellModule | undefined): number {
  return module === undefined || module.header === '' ? 0 : 1;
}
