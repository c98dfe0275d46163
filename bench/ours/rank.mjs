/** One rank of all-reduce in its own process: `node rank.mjs RANK SIZE ID` prints the microseconds of a call for each size. */
import { devices } from 'stridelab';
import { Communicator } from 'stridelab/collectives';
import { sizesOf } from '../measures.mjs';
import { allReduce } from './several.mjs';

const [, , rank = '', size = '', id = ''] = process.argv;
const communicator = await Communicator.init({
  id: Uint8Array.from(Buffer.from(id, 'hex')),
  rank: Number(rank),
  size: Number(size),
  device: devices()[Number(rank)]
});
console.log(JSON.stringify(allReduce([communicator], sizesOf(false))));
await communicator.destroy();
