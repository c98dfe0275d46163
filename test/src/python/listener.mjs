/** A program with Python that waits for an interrupt; its second argument says when it starts to listen. */
import { python } from '../../../dist/src/index.js';

const [, , executable, when] = process.argv;
const heard = () => {
  process.stdout.write('heard\n');
  process.exit(0);
};
if (when === 'before') process.once('SIGINT', heard);
python.start({ python: executable });
// A handler that Python code sets belongs to Python only.
python.run('import signal; signal.signal(signal.SIGINT, lambda *_: None)');
if (when === 'later') process.once('SIGINT', heard);
setTimeout(() => process.exit(9), 20_000);
process.stdout.write('ready\n');
