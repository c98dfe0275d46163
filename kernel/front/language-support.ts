/**
 * Answers what clients ask about text. The TypeScript server is started soon after the first cell, because its first
 * answer takes longer than notebooks wait for one, or earlier by the first question.
 */

import { parseMagics } from '../protocol/magics.ts';
import type { LanguageService } from './typescript/language-service.ts';

/** Quiet time after the first cell, so that a notebook that runs all cells at once is not slowed at its start. */
const WARM_UP_AFTER_MS = 300;
/** A question whose answer needs the whole program. */
const WARM_UP_QUESTION = 'globalThis.';

export class LanguageSupport {
  /** Cells that ran in this executor, in order. */
  #cells: string[] = [];
  #service: Promise<LanguageService> | undefined;
  #warmUp: NodeJS.Timeout | undefined;

  async isComplete(code: string): Promise<object> {
    const { completeness } = await import('./completeness.ts');
    return completeness(parseMagics(code).code);
  }

  async complete(code: string, cursor: number): Promise<object> {
    return (await this.#start()).complete(parseMagics(code).code, cursor);
  }

  async inspect(code: string, cursor: number): Promise<object> {
    return (await this.#start()).inspect(parseMagics(code).code, cursor);
  }

  /** Makes the names of an executed cell known to later questions. */
  commit(source: string): void {
    const { code, magics } = parseMagics(source);
    if (magics.some(({ name, argument }) => name === 'reset' && /^(-f)?$/.test(argument))) this.reset();
    this.#cells.push(code);
    void this.#service?.then(service => service.commit(code));
    // A server that cannot be started is told of by the question that needs it.
    this.#warmUp ??= setTimeout(() => {
      if (this.#service === undefined)
        this.complete(WARM_UP_QUESTION, WARM_UP_QUESTION.length).catch(() => undefined);
    }, WARM_UP_AFTER_MS).unref();
  }

  /** The variables are gone with their process. */
  reset(): void {
    this.#cells = [];
    void this.#service?.then(service => service.reset());
  }

  async stop(): Promise<void> {
    clearTimeout(this.#warmUp);
    (await this.#service)?.stop();
  }

  #start(): Promise<LanguageService> {
    if (this.#service === undefined) {
      const earlier = [...this.#cells];
      this.#service = import('./typescript/language-service.ts').then(
        ({ LanguageService }) => new LanguageService(process.cwd(), earlier)
      );
    }
    return this.#service;
  }
}
