"""The session with JavaScript: the main thread serves nested requests, and any thread calls JavaScript functions."""

import os
import queue
import struct
import threading

from . import wire
from .arrays import Arrays
from .functions import JavaScriptEndedError, JavaScriptFunction
from .operations import operations
from .threads import Threads
from .wire import MISSING, Encoded

# From JavaScript: src/python/process/protocol.ts has the same numbers.
RETURN, THROW, END, RELEASE, ASYNC, ARRAY, UNWIND, FIRST_OPERATION = range(8)
ELSEWHERE, MAIN, TOLD = range(3)
# To JavaScript.
HELLO, VALUE, RAISED, NOTHING, CALL, OUTPUT, DROP, DONE, ARRAY_FACT, GRANTED = range(10)

_HEAD = struct.Struct("<BII")
_REPLY = struct.Struct("<BI")
_CALL = struct.Struct("<BIIBI")
_HERE = os.path.dirname(os.path.abspath(__file__))


class _Ended(BaseException):
    """JavaScript has closed the connection or requested the end of the session."""


class Session:
    def __init__(self, channel, interrupts):
        """Begins a session, which the calling thread serves."""
        self._channel = channel
        self._objects = {}
        self._free = []
        self._next = 1
        self._lock = threading.RLock()
        self._main = threading.get_ident()
        self._interrupts = interrupts
        self._threads = Threads()
        # Queues for the answers that threads wait for, by ticket.
        self._waiting = {}
        self._tickets = 0
        self.closed = False
        # JavaScript was interrupted: no function that the main thread waits for will answer.
        self._unwinding = False
        self.arrays = Arrays(self)
        self._operations = operations(self)
        # Numbers of JavaScript functions that were freed here.
        self.dropped = []
        # Functions that return a stream's number and its text, or None.
        self.before_sending = []

    # Messages

    def send(self, *parts, files=()):
        """Sends a message, after any text printed before it. Interrupts are postponed."""
        held = self._interrupts.hold()
        try:
            with self._lock:
                self._send_printed()
                if parts:
                    self._channel.send(b"".join(parts), files)
        except OSError:
            pass  # JavaScript has exited, which the next receive shows
        finally:
            self._interrupts.let(held)

    def tell_array(self, number, text):
        """Sends a message about a shared array."""
        self.send(_REPLY.pack(ARRAY_FACT, number), wire.write(text, self.reference))

    def take_files(self, count):
        """Takes the first `count` received file descriptors."""
        taken, self._channel.files[:count] = self._channel.files[:count], []
        return taken

    def flush(self):
        if not self.closed:
            self.send()

    def _send_printed(self):
        while self.dropped:
            number = self.dropped.pop()
            self._channel.send(_REPLY.pack(DROP, number))
        for leave in self.before_sending:
            printed = leave()
            if printed is not None:
                number, text = printed
                self._channel.send(_REPLY.pack(OUTPUT, number) + wire.write(text, self.reference))

    def serve(self, until=None):
        """Serves requests until the function call `until` is answered, and returns the kind of answer and its value."""
        while True:
            if self._unwinding:
                if until is not None:
                    return THROW, None
                self._unwinding = False
            message = self._channel.receive()
            if message is None:
                raise _Ended
            kind, number, released = _HEAD.unpack_from(message)
            at = 9
            if released:
                at = 9 + 4 * released
                self._release(struct.unpack_from(f"<{released}I", message, 9))
            if kind >= FIRST_OPERATION:
                self._answer(kind - FIRST_OPERATION, number, message, at)
            elif kind <= THROW:
                value = wire.read(message, at, self.find)[0] if at < len(message) else None
                if number == until:
                    return kind, value
                waiting = self._waiting.get(number)
                if waiting is not None:
                    waiting.put((kind, value))
            elif kind == ASYNC:
                self._begin_async(number, wire.read_all(message, at, self.find))
            elif kind == ARRAY:
                self.arrays.hear(number, wire.read(message, at, self.find)[0])
            elif kind == UNWIND:
                self._unwinding = True
            elif kind == END:
                raise _Ended

    def run(self):
        """Serves requests until the connection ends."""
        self.send(_REPLY.pack(HELLO, os.getpid()))
        try:
            self.serve()
        except _Ended:
            pass

    def close(self):
        """Ends the session: calls of JavaScript functions raise JavaScriptEndedError, including those in progress on threads."""
        self.closed = True
        for waiting in list(self._waiting.values()):
            waiting.put((None, None))

    # Requests

    def _answer(self, operation, number, message, at):
        files = ()
        try:
            arguments = wire.read_all(message, at, self.find)
            result = self._interrupts.run(self._operations[operation], arguments)
            if result is MISSING:
                reply = _REPLY.pack(NOTHING, number)
            elif type(result) is Encoded:
                files = result.files
                reply = _REPLY.pack(GRANTED if files else VALUE, number) + result.data
            else:
                reply = _REPLY.pack(VALUE, number) + wire.write(result, self.reference)
        except _Ended:
            raise
        except BaseException as exception:
            self._interrupts.stop()
            reply = self._raised(RAISED, number, exception)
        self.arrays.order_javascript()
        self.send(reply, files=files)

    def _raised(self, kind, number, exception):
        traceback = exception.__traceback__
        # Without this package's frames, which do not concern the user.
        while traceback is not None and traceback.tb_frame.f_code.co_filename.startswith(_HERE):
            traceback = traceback.tb_next
        exception.__traceback__ = traceback
        return _REPLY.pack(kind, number) + wire.write(exception, self.reference)

    def _begin_async(self, number, arguments):
        def work():
            try:
                result = arguments[0](*arguments[1:])
                outcome = b"\x00" + wire.write(result, self.reference)
            except BaseException as exception:
                outcome = b"\x01" + self._raised(DONE, number, exception)[_REPLY.size :]
            self.arrays.order_javascript()
            self.send(_REPLY.pack(DONE, number), outcome)

        self._threads.run(work)

    # Functions of JavaScript

    def tell_javascript(self, function, values):
        """Schedules a call of a function in JavaScript's event loop, without waiting for it."""
        if not self.closed:
            self.arrays.order_javascript()
            self.send(_CALL.pack(CALL, 0, function, TOLD, 0), *[wire.write(value, self.reference) for value in values])

    def call_javascript(self, function, values, keywords):
        """Calls a function, and returns its result or raises what it throws. The main thread serves requests while it waits."""
        if self.closed:
            raise JavaScriptEndedError
        main = threading.get_ident() == self._main
        held = self._interrupts.hold()
        try:
            with self._lock:
                self._tickets = ticket = self._tickets + 1 & 0xFFFFFFFF
            arguments = [wire.write(value, self.reference) for value in (*values, *keywords, *keywords.values())]
            message = _CALL.pack(CALL, ticket, function, MAIN if main else ELSEWHERE, len(keywords)), *arguments
            self.arrays.order_javascript()
            kind, value = self._call_here(ticket, message) if main else self._call_elsewhere(ticket, message)
        finally:
            self._interrupts.let(held)
        if kind == RETURN:
            return value
        if isinstance(value, BaseException):
            raise value
        raise RuntimeError("JavaScript that Python called was interrupted")

    def _call_here(self, ticket, message):
        self.send(*message)
        return self.serve(until=ticket)

    def _call_elsewhere(self, ticket, message):
        waiting = self._waiting[ticket] = queue.SimpleQueue()
        try:
            self.send(*message)
            kind, value = waiting.get()
        finally:
            del self._waiting[ticket]
        if kind is None:
            raise JavaScriptEndedError
        return kind, value

    # Objects

    def reference(self, value):
        """Returns the tag and number with which JavaScript refers to an object; keeps the object until JavaScript releases it."""
        if type(value) is JavaScriptFunction:
            return wire.FUNCTION, value.number
        lent = self.arrays.number_of(value)
        if lent is not None:
            return wire.ARRAY, lent
        return self.reference_any(value)

    def reference_any(self, value):
        """Returns the tag and number under which an object, possibly a wrapped JavaScript one, is passed as a Python object."""
        with self._lock:
            if self._free:
                number = self._free.pop()
            else:
                number = self._next
                self._next += 1
            self._objects[number] = value
        return wire.HANDLE, number

    def find(self, _tag, number):
        return self._objects[number]

    def _release(self, numbers):
        for number in numbers:
            # The number is released before the object's finalizer runs.
            value = self._objects.pop(number, None)
            self._free.append(number)
            del value

    def count_objects(self):
        return len(self._objects)
