/** The notebook or console that the panel shows, and the state of its kernel. */

import type { ISessionContext } from '@jupyterlab/apputils';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';
import type { ArrayEntry } from '../../../src/pictures/arrays/schema.ts';
import { KernelArrays } from './kernel-arrays.ts';
import type { Sources } from './sources.ts';

export interface Source {
  readonly widget: Widget;
  readonly sessionContext: ISessionContext;
  readonly rendermime: IRenderMimeRegistry;
  /** Inserts code where the user can run it: in a new cell, or at a console's prompt. */
  insert(code: string): void;
}

export type Absence =
  'no-source' | 'no-kernel' | 'starting' | 'foreign' | 'silent' | 'newer' | 'loading' | 'exited' | 'empty';

/** Holds one KernelArrays for each connection, until the connection is disposed. */
export class KernelArraysPool implements IDisposable {
  readonly #known = new Map<Kernel.IKernelConnection, KernelArrays>();
  readonly sources: Sources;
  isDisposed = false;

  constructor(sources: Sources) {
    this.sources = sources;
  }

  /** Returns the arrays of the source's kernel; null while there is none. */
  of(source: Source): KernelArrays | null {
    const own = source.sessionContext.session?.kernel;
    if (own === null || own === undefined) return null;
    const connection = this.#speaking(own);
    let arrays = this.#known.get(connection);
    if (arrays === undefined) {
      arrays = new KernelArrays(connection);
      this.#known.set(connection, arrays);
      connection.disposed.connect(() => {
        this.#known.get(connection)?.dispose();
        this.#known.delete(connection);
      });
    }
    return arrays;
  }

  dispose(): void {
    this.isDisposed = true;
    for (const arrays of this.#known.values()) arrays.dispose();
    this.#known.clear();
  }

  /** Finds the page's connection to a kernel that handles comms. */
  #speaking(own: Kernel.IKernelConnection): Kernel.IKernelConnection {
    if (own.handleComms) return own;
    for (const { sessionContext } of this.sources.all()) {
      const kernel = sessionContext.session?.kernel;
      if (kernel?.id === own.id && kernel.handleComms) return kernel;
    }
    return own;
  }
}

export class ArraysModel implements IDisposable {
  readonly pool: KernelArraysPool;
  #source: Source | null = null;
  #arrays: KernelArrays | null = null;
  #visible = false;
  #period = 2000;
  isDisposed = false;
  readonly changed: Signal<this, void> = new Signal<this, void>(this);

  constructor(pool: KernelArraysPool) {
    this.pool = pool;
  }

  get source(): Source | null {
    return this.#source;
  }

  set source(source: Source | null) {
    if (source?.widget === this.#source?.widget) return;
    for (const [of, way] of [[this.#source, 'disconnect'] as const, [source, 'connect'] as const]) {
      of?.sessionContext.kernelChanged[way](this.#onKernel, this);
      of?.sessionContext.statusChanged[way](this.#onStatus, this);
      of?.sessionContext.propertyChanged[way](this.#onStatus, this);
    }
    this.#source = source;
    this.#onKernel();
  }

  get arrays(): KernelArrays | null {
    return this.#arrays;
  }

  /** Sets whether the panel is visible: the kernel sends changes only then. */
  set visible(visible: boolean) {
    this.#visible = visible;
    this.#onKernel();
  }

  /** Sets the polling interval of the devices, in ms. */
  set period(period: number) {
    this.#period = period;
    this.#watch();
  }

  get absence(): Absence | null {
    if (this.#source === null) return 'no-source';
    const arrays = this.#arrays;
    // JupyterLab names a kernel while it starts. Its status remains "initializing" if the user chooses no kernel.
    if (arrays === null) return this.#source.sessionContext.hasNoKernel ? 'no-kernel' : 'starting';
    if (arrays.entries.size > 0 && (arrays.state === 'loading' || arrays.state === 'ready')) return null;
    return arrays.state === 'ready' ? 'empty' : arrays.state;
  }

  get entries(): readonly ArrayEntry[] {
    return [...(this.#arrays?.entries.values() ?? [])];
  }

  dispose(): void {
    if (this.isDisposed) return;
    this.visible = false;
    this.source = null;
    this.isDisposed = true;
    Signal.clearData(this);
  }

  #onKernel(): void {
    // A hidden panel opens no comm.
    const arrays = this.#source === null || !this.#visible ? this.#keptHidden() : this.pool.of(this.#source);
    if (arrays !== this.#arrays) {
      const before = this.#arrays;
      before?.changed.disconnect(this.#onStatus, this);
      if (before !== null && !before.isDisposed) before.watch({ visible: false });
      this.#arrays = arrays;
      arrays?.changed.connect(this.#onStatus, this);
    }
    this.#watch();
    this.changed.emit();
  }

  #keptHidden(): KernelArrays | null {
    const shown = this.#arrays;
    return shown !== null && this.#source !== null && !shown.isDisposed ? shown : null;
  }

  #watch(): void {
    this.#arrays?.watch({ visible: this.#visible, period: this.#period });
  }

  #onStatus(): void {
    this.changed.emit();
  }
}
