/** An output whose code is loaded when there is one: notebooks without a picture need none of it. */

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
      // The next model tries again.
      this.#loading = undefined;
      throw error;
    });
    if (this.isDisposed) return output.dispose();
    if (output.parent === null) this.addWidget(output);
    await output.renderModel(model);
  }
}
