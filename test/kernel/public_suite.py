"""Jupyter's public test suite for kernels, with samples in TypeScript: `public_suite.py NAME` tests the installed kernel of that name."""

import sys
import unittest

import jupyter_kernel_test as jkt

KERNEL = sys.argv.pop()


class StridelabTests(jkt.KernelTests):
    kernel_name = KERNEL
    language_name = "typescript"
    file_extension = ".ts"

    code_hello_world = "console.log('hello, world')"
    code_stderr = "console.error('to stderr')"
    code_generate_error = "throw new TypeError('for the test')"
    code_inspect_sample = "console.log"
    code_page_something = "console?"
    code_clear_output = "clearOutput()"

    completion_samples = [
        {"text": "process.vers", "matches": ["version", "versions"]},
        {"text": "const nothing = 'nothing that has a member'; nothing.startsW", "matches": ["startsWith"]},
    ]
    complete_code_samples = [
        "",
        "1 + 1",
        "const f = (x: number) => x * 2",
        "interface Point { x: number; y: number }",
        "for (const x of [1, 2]) { console.log(x) }",
        "await Promise.resolve(`a ${1} b`)",
        "enum Colour { Red, Green }",
        "const element = <div>text</div>",
    ]
    incomplete_code_samples = [
        "function f(",
        "if (true) {",
        "const text = `open",
        "[1, 2,",
        "1 +",
        "/* a comment",
        "class A {\n  method() {",
    ]
    invalid_code_samples = ["let = = 3", "x = ]", "}", "'open", "if (]"]

    # Simple values are shown in colour, so no sample checks their text.
    code_execute_result = [
        {"code": "6 * 7"},
        {"code": "JSON.parse('[]')", "result": "[]"},
        {"code": "await Promise.resolve(new (class Empty {})())", "result": "Empty {}"},
        {"code": "const answer: object = {}; answer", "result": "{}"},
        {"code": "'text'", "mime": "text/plain"},
    ]
    code_display_data = [
        {"code": "await display({ [Symbol.for('Jupyter.display')]: () => ({ 'text/html': '<b>x</b>' }) })", "mime": "text/html"},
        {"code": "await display('text')", "mime": "text/plain"},
    ]

    supported_history_operations = ("tail", "range", "search")
    code_history_pattern = "6 ?*7"

    def execute_helper(self, *args, **options):
        # The suite waits 0.1 s for each output of a cell, which is too short on a busy machine.
        channel = self.kc.iopub_channel
        get_msg = channel.get_msg
        channel.get_msg = lambda timeout: get_msg(timeout=jkt.TIMEOUT)
        try:
            return super().execute_helper(*args, **options)
        finally:
            del channel.get_msg


class StridelabWelcomeTests(jkt.IopubWelcomeTests):
    kernel_name = KERNEL
    support_iopub_welcome = True


if __name__ == "__main__":
    unittest.main(verbosity=2)
