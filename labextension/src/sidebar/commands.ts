/** The panel's commands: for menus, the palette, context menus and shortcuts. They act on the panel's active row. */

import type { CommandRegistry } from '@lumino/commands';
import type { ArrayEntry } from '../../../src/description/arrays-schema.ts';
import type { Phrases } from '../views/phrases.ts';
import type { ArraysPanel } from './arrays-panel.ts';
import { CommandIDs } from './command-ids.ts';
import { arraysIcon } from './icon.ts';
import type { PanelActions } from './panel-actions.ts';

export function addCommands(
  commands: CommandRegistry,
  phrases: Phrases,
  panel: ArraysPanel,
  reveal: () => void
): void {
  // A schema of arguments tells that there are none.
  const describedBy = { args: { type: 'object', properties: {} } };
  const chosen = (): readonly ArrayEntry[] => panel.contents?.chosen ?? [];
  const live = (): readonly ArrayEntry[] => chosen().filter(({ state }) => state !== 'freed');
  const listing = (): boolean => panel.contents?.model.absence === null;
  const withActions = (
    act: (actions: PanelActions) => void,
    isEnabled: () => boolean
  ): Pick<CommandRegistry.ICommandOptions, 'execute' | 'isEnabled' | 'describedBy'> => ({
    describedBy,
    isEnabled,
    execute: () => panel.contents?.act(act)
  });
  const onOne = (act: (actions: PanelActions, entry: ArrayEntry) => void): ReturnType<typeof withActions> => {
    const one = (): ArrayEntry | undefined => (live().length === 1 ? live()[0] : undefined);
    return withActions(
      actions => {
        const entry = one();
        if (entry !== undefined) act(actions, entry);
      },
      () => one() !== undefined
    );
  };
  commands.addCommand(CommandIDs.show, {
    label: phrases.__('Arrays of the Notebook'),
    caption: phrases.__('Show the arrays of the active notebook, and what memory they hold'),
    icon: arraysIcon,
    describedBy,
    execute: async () => {
      reveal();
      (await panel.loaded()).focus();
    }
  });
  commands.addCommand(CommandIDs.inspect, {
    label: phrases.__('Inspect Array'),
    caption: phrases.__('Open the live inspector of the array in a tab'),
    ...onOne((actions, entry) => actions.inspect(entry))
  });
  commands.addCommand(CommandIDs.insert, {
    label: phrases.__('Insert a Cell That Inspects It'),
    caption: phrases.__('Insert a cell with inspect(…) below the active one'),
    ...onOne((actions, entry) => actions.insertInspect(entry))
  });
  commands.addCommand(CommandIDs.copyName, {
    label: phrases.__('Copy Name of Array'),
    caption: phrases.__('Copy the code that leads to the array'),
    ...onOne((actions, entry) => actions.copyName(entry))
  });
  commands.addCommand(CommandIDs.free, {
    label: () => (chosen().length > 1 ? phrases.__('Free Arrays…') : phrases.__('Free Array…')),
    caption: phrases.__('Give the memory back, after a question'),
    ...withActions(
      actions => actions.free(chosen()),
      () => live().length > 0
    )
  });
  commands.addCommand(CommandIDs.freeAll, {
    label: phrases.__('Free All Arrays…'),
    caption: phrases.__('Give back the memory of all arrays that the Arrays panel lists, after a question'),
    ...withActions(actions => actions.freeAll(), listing)
  });
  commands.addCommand(CommandIDs.refresh, {
    label: phrases.__('Look at the Arrays Anew'),
    caption: phrases.__('Ask the kernel for its arrays and devices now'),
    ...withActions(actions => actions.refresh(), listing)
  });
}
