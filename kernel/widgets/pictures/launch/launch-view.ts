/** The kernel half of the picture of a launch, which has run when the picture opens: nothing changes later. */

import type { RecordedLaunch } from '../../../../src/kernels/launch/recorded.ts';
import { describeLaunch } from '../../../../src/pictures/launch/describe.ts';
import { renderLaunch } from '../../../../src/pictures/launch/render.ts';
import type { LaunchPicture } from '../../../../src/pictures/launch/schema.ts';
import { LiveWidget } from '../kit/live-widget.ts';

export class LaunchView extends LiveWidget<LaunchPicture> {
  constructor(launch: RecordedLaunch) {
    const label = ({ kernel }: LaunchPicture): string => `kernel ${kernel}`;
    super({ name: 'LaunchView', label, render: renderLaunch }, describeLaunch(launch));
  }

  protected override describe(): LaunchPicture {
    return this.picture;
  }
}
