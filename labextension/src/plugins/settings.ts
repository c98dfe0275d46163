import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal } from '@lumino/signaling';
import { DEFAULT_SETTINGS, ISettings, readSettings, type Settings } from '../sidebar/settings.ts';
import { useViewSettings } from '../views/kit/settings.ts';

class CurrentSettings implements ISettings {
  values = DEFAULT_SETTINGS;
  readonly ready: Promise<void>;
  readonly changed: Signal<ISettings, void> = new Signal<ISettings, void>(this);

  constructor(registry: ISettingRegistry | null) {
    this.ready = registry === null ? Promise.resolve() : this.#read(registry);
  }

  async #read(registry: ISettingRegistry): Promise<void> {
    try {
      const settings = await registry.load(plugin.id);
      settings.changed.connect(() => this.#take(readSettings(settings.composite)));
      this.#take(readSettings(settings.composite));
    } catch {
      // The server has no schema: keep the defaults.
    }
  }

  #take(values: Settings): void {
    this.values = values;
    useViewSettings(values);
    this.changed.emit();
  }
}

/** Provides the user settings; its id names their schema, labextension/schema/settings.json. */
const plugin: JupyterFrontEndPlugin<ISettings> = {
  id: 'stridelab:settings',
  description: 'Reads the user settings of Stridelab.',
  autoStart: true,
  provides: ISettings,
  optional: [ISettingRegistry],
  activate: (_app: JupyterFrontEnd, registry: ISettingRegistry | null) => new CurrentSettings(registry)
};
export default plugin;
