/** Answers what clients ask about text. The TypeScript server is started by the first question that needs it. */

import type { LanguageService } from './typescript/language-service.ts';

export class LanguageSupport {
  /** Cells that ran in this executor, in order. */
  #cells: string[] = [];
  #service: Promise<LanguageService> | undefined;

  async isComplete(code: string): Promise<object> {
    const { completeness } = await import('./completeness.ts');
    return completeness(code);
  }

  async complete(code: string, cursor: number): Promise<object> {
    return (await this.#start()).complete(code, cursor);
  }

  async inspect(code: string, cursor: number): Promise<object> {
    return (await this.#start()).inspect(code, cursor);
  }

  /** Makes the names of an executed cell known to later questions. */
  commit(code: string): void {
    this.#cells.push(code);
    void this.#service?.then(service => service.commit(code));
  }

  /** The variables are gone with their process. */
  reset(): void {
    this.#cells = [];
    void this.#service?.then(service => service.reset());
  }

  async stop(): Promise<void> {
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
