/** An output whose code is loaded on first use, so that notebooks without pictures do not need it. */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Panel } from '@lumino/widgets';

export class LazyOutput extends Panel implements IRenderMime.IRenderer {
  readonly #load: () => Promise<IRenderMime.IRenderer>;
  #loading: Promise<IRenderMime.IRenderer> | undefined;

  constructor(load: () => Promise<IRenderMime.IRenderer>) {
    super();
    this.#load = load;
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#loading ??= this.#load();
    const output = await this.#loading.catch((error: unknown) => {
      // Allow the next model to retry.
      this.#loading = undefined;
      throw error;
    });
    if (this.isDisposed) return output.dispose();
    if (output.parent === null) this.addWidget(output);
    await output.renderModel(model);
  }
}
