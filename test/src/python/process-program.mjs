/** A program with Python in a separate process; its second argument selects how they exit. */
import { python } from '../../../dist/src/index.js';

const [, , executable, what] = process.argv;
const beside = python.open({ python: executable });
const told = () => process.stdout.write(`${beside.status.process}\n`);
const die = () => process.kill(process.pid, 'SIGKILL');

switch (what) {
  case 'exit':
    beside.run('import atexit, threading, time\natexit.register(lambda: print("atexit", flush=True))');
    beside.run(
      'def work():\n  time.sleep(0.2)\n  print("thread", flush=True)\nthreading.Thread(target=work).start()'
    );
    break;
  case 'kill-idle':
    told();
    die();
    break;
  case 'kill-in-call':
    told();
    setTimeout(() => process.exit(9), 20_000);
    beside.run('import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\nwhile True: time.sleep(1)');
    break;
  case 'kill-in-callback':
    told();
    beside.evaluate('lambda f: f()')(die);
    break;
  default:
    beside.run(
      'import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()'
    );
    process.stdout.write('done\n');
}
