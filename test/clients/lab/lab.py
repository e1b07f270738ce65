"""What the programs in Python share: where the directory is, and how a step is told (journey.ts reads it)."""

import os
import sys
import traceback

HOST = os.environ["LAB_HOST"]
PORT = int(os.environ["LAB_PORT"])
TLS_PORT = int(os.environ["LAB_TLS_PORT"])
SOCKET = os.environ["LAB_SOCKET"]
CA = os.environ["LAB_CA"]
CLIENT_CERT = os.environ["LAB_CLIENT_CERT"]
CLIENT_KEY = os.environ["LAB_CLIENT_KEY"]
SUFFIX = os.environ["LAB_SUFFIX"]
ADMIN = os.environ["LAB_ADMIN"]
ADMIN_PASSWORD = os.environ["LAB_ADMIN_PASSWORD"]
PERSON = os.environ["LAB_PERSON"]
PERSON_PASSWORD = os.environ["LAB_PERSON_PASSWORD"]
#: Debian's slapd answers 64 where RFC 4511 §4.6 wants notAllowedOnRDN, and lets its administrator read passwords.
SLAPD = os.environ["LAB_SERVER"] == "slapd"
NOT_ON_RDN = 64 if SLAPD else 67
#: Debian's slapd asks a daemon of Cyrus SASL about these, and none runs here.
NOT_OF_SLAPD = {"PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256"}

LAB = "ou=lab," + SUFFIX
ROW = "ou=row," + LAB
#: The picture that the world gives jmueller: any octets behind the start of a JPEG.
PICTURE = bytes([0xFF, 0xD8, 0xFF]) + bytes(range(256))

offered = set()
#: The file that runs, without its ending: parts of it begin with its name.
PROGRAM = os.path.splitext(os.path.abspath(sys.argv[0]))[0]


def same(got, wanted, what="it"):
    if got != wanted:
        raise AssertionError("%s is %r, not %r" % (what, got, wanted))


def holds(truth, what):
    if not truth:
        raise AssertionError(what)


def step(name, needs=None):
    """Runs a step at once. `needs` names what the root DSE must list: an OID or a mechanism."""

    def run(body):
        if needs is not None and needs not in offered:
            print("--\t%s\t%s" % (name, needs))
            return body
        try:
            body()
            print("ok\t%s" % name)
        except Exception as error:
            where = traceback.extract_tb(sys.exc_info()[2])
            line = [frame.lineno for frame in where if frame.filename.startswith(PROGRAM)]
            said = " ".join(("%s: %s" % (type(error).__name__, error)).split())
            print("no\t%s\t%s (line %s)" % (name, said[:600], line[-1] if line else "?"))
        sys.stdout.flush()
        return body

    return run


def end():
    print("end")
