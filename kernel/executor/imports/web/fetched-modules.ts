/** Says what is fetched from the web: on one line that is overwritten, and at the end whose code it is. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatCounted } from '../../../../src/base/count-text.ts';
import { CLEAR_LINE, toStdout } from '../../magics/commands.ts';

export class FetchedModules {
  #count = 0;
  #bytes = 0;
  readonly #hosts = new Set<string>();

  add(url: string, bytes: number): void {
    this.#count += 1;
    this.#bytes += bytes;
    this.#hosts.add(new URL(url).host);
    toStdout(`${CLEAR_LINE}fetching … ${this.#count} ${url}`);
  }

  end(): void {
    if (this.#count === 0) return;
    const what = `${formatCounted(this.#count, 'module')} (${formatBytes(this.#bytes)})`;
    const whose = [...this.#hosts].sort().join(', ');
    toStdout(`${CLEAR_LINE}Fetched ${what} from ${whose}. This code can do all that you can.\n`);
  }
}
