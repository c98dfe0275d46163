/** The panel's commands: for menus, the palette, context menus and shortcuts. They act on the panel's active row. */

import type { CommandRegistry } from '@lumino/commands';
import type { ArrayEntry } from '../../../src/pictures/arrays/schema.ts';
import type { ArraysPanel } from './arrays-panel.ts';
import { CommandIDs } from './command-ids.ts';
import { arraysIcon } from './icon.ts';
import type { PanelActions } from './panel-actions.ts';
import type { PlaceSubject, Subject } from './subjects.ts';
import { __ } from '../views/kit/phrases.ts';

export function addCommands(commands: CommandRegistry, panel: ArraysPanel, reveal: () => void): void {
  // The schema states that there are no arguments.
  const describedBy = { args: { type: 'object', properties: {} } };
  const chosen = (): readonly ArrayEntry[] => panel.contents?.view.chosen ?? [];
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
  const subject = (): Subject | undefined => panel.contents?.view.subject;
  /** Returns the selected subject if it can be shown; a freed array cannot. */
  const shown = (): Subject | undefined => {
    const found = subject();
    return found?.kind === 'array' && found.entry.state === 'freed' ? undefined : found;
  };
  const onShown = (act: (actions: PanelActions, found: Subject) => void): ReturnType<typeof withActions> =>
    withActions(
      actions => {
        const found = shown();
        if (found !== undefined) act(actions, found);
      },
      () => listing() && shown() !== undefined
    );
  const place = (): PlaceSubject | undefined => {
    const found = subject();
    return found?.kind === 'array' ? undefined : found;
  };
  commands.addCommand(CommandIDs.show, {
    label: __('Notebook Arrays'),
    caption: __('Show the arrays and memory of the active notebook'),
    icon: arraysIcon,
    describedBy,
    execute: async () => {
      reveal();
      (await panel.loaded()).view.focus();
    }
  });
  commands.addCommand(CommandIDs.inspect, {
    label: () => commandLabel('inspect', subject()),
    caption: __('Open the live picture of the array, device or stream in a tab'),
    ...onShown((actions, found) => actions.inspect(found))
  });
  commands.addCommand(CommandIDs.insert, {
    label: __('Insert Inspect Cell'),
    caption: __('Insert a cell with inspect(…) below the active one'),
    ...onShown((actions, found) => actions.insertInspect(found))
  });
  commands.addCommand(CommandIDs.synchronize, {
    label: () => commandLabel('synchronize', subject()),
    caption: __('Wait until all submitted work is done, and report how long it took'),
    ...withActions(
      actions => {
        const found = place();
        if (found !== undefined) actions.synchronize(found);
      },
      () => listing() && place() !== undefined
    )
  });
  commands.addCommand(CommandIDs.copyName, {
    label: __('Copy Array Name'),
    caption: __('Copy the code that refers to the array'),
    ...withActions(
      actions => {
        const found = shown();
        if (found?.kind === 'array') actions.copyName(found.entry);
      },
      () => shown()?.kind === 'array'
    )
  });
  commands.addCommand(CommandIDs.free, {
    label: () => (chosen().length > 1 ? __('Free Arrays…') : __('Free Array…')),
    caption: __('Free the memory, after confirmation'),
    ...withActions(
      actions => actions.free(chosen()),
      () => live().length > 0
    )
  });
  commands.addCommand(CommandIDs.freeAll, {
    label: __('Free All Arrays…'),
    caption: __('Free all arrays in the Arrays panel, after confirmation'),
    ...withActions(actions => actions.freeAll(), listing)
  });
  commands.addCommand(CommandIDs.refresh, {
    label: __('Refresh Arrays'),
    caption: __('Reload arrays and devices from the kernel'),
    ...withActions(actions => actions.refresh(), listing)
  });
}

function commandLabel(command: 'inspect' | 'synchronize', subject: Subject | undefined): string {
  if (command === 'synchronize')
    return subject?.kind === 'device' ? __('Synchronize Device') : __('Synchronize Stream');
  if (subject?.kind === 'device') return __('Inspect Device');
  return subject?.kind === 'stream' ? __('Inspect Stream') : __('Inspect Array');
}
