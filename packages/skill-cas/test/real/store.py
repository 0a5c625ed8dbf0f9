"""A second implementation of the store's layout, locks and recovery, written from the specification alone.

It shares no code with the package, so that what both agree on is the format on the disk and not a common mistake.

    store.py read ROOT DIGEST            the bytes of an object, judged
    store.py publish ROOT ACTION FILE    stores a file's bytes; KILL_AFTER=n in the environment ends it after n changes
    store.py recover ROOT DIGEST         finishes what a crash left
    store.py hold ROOT DIGEST            takes the content lock, says "held" and keeps it until its input ends
    store.py try ROOT DIGEST             says "free" or "busy"

Answers with one line of JSON. Object `<sha256>`, stage `.ctx-skill-<sha256>-<action>.pending`, lock `<sha256>.lock`, all
regular, of this user, mode 0600; one link at rest; the lock is flock() on the lock file, which must still have its name.
"""

import fcntl, hashlib, json, os, re, signal, stat, sys

STAGES_MAX = 64
changes = 0


def changed():
    """Counts changing calls and dies after the one that was asked for."""
    global changes
    changes += 1
    if changes == int(os.environ.get("KILL_AFTER", "0")):
        os.kill(os.getpid(), signal.SIGKILL)


class Conflict(Exception):
    pass


class Store:
    def __init__(self, root):
        self.root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        status = os.fstat(self.root)
        if stat.S_IMODE(status.st_mode) != 0o700 or status.st_uid != os.geteuid():
            raise Conflict("the root is not private")

    def stat(self, name):
        try:
            return os.stat(name, dir_fd=self.root, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, name, flags):
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600, dir_fd=self.root)

    def is_ours(self, status):
        return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()

    def is_removable(self, status):
        return self.is_ours(status) and status.st_nlink == 1 and stat.S_IMODE(status.st_mode) & ~0o600 == 0

    def judge(self, name, digest, links):
        """The bytes of an entry that is exactly the content, None where there is none; anything else is a conflict."""
        status = self.stat(name)
        if status is None:
            return None
        if not self.is_ours(status) or stat.S_IMODE(status.st_mode) != 0o600 or status.st_nlink not in links:
            raise Conflict(f"{name}: mode {stat.S_IMODE(status.st_mode):o}, {status.st_nlink} links")
        with os.fdopen(self.open(name, os.O_RDONLY), "rb") as file:
            data = file.read()
        if hashlib.sha256(data).hexdigest() != digest:
            raise Conflict(f"{name}: wrong bytes")
        return data

    def lock(self, digest, wait):
        """Takes the content lock; whoever finds that the file lost its name meanwhile opens the new one."""
        name = f"{digest}.lock"
        while True:
            file = self.open(name, os.O_RDWR | os.O_CREAT)
            os.fchmod(file, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                os.close(file)
                return None
            named = self.stat(name)
            if named is not None and os.path.samestat(named, os.fstat(file)):
                changed()
                return file
            os.close(file)

    def stages(self, digest):
        shape = re.compile(re.escape(f".ctx-skill-{digest}-") + r"[0-9a-f]{64}\.pending")
        names = sorted(name for name in os.listdir(self.root) if shape.fullmatch(name))
        if len(names) > STAGES_MAX:
            raise Conflict("too many stages")
        return names

    def sync(self, descriptor):
        os.fsync(descriptor)
        changed()

    def write_stage(self, name, data):
        file = self.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        changed()
        os.fchmod(file, 0o600)
        for piece in (data[: len(data) // 2], data[len(data) // 2 :]):
            os.write(file, piece)
            changed()
        self.sync(file)
        os.close(file)

    def recover(self, digest):
        """Under the lock: finishes a publication from any whole stage, removes the others, and judges the object."""
        whole, stages = [], self.stages(digest)
        for name in stages:
            try:
                if self.judge(name, digest, range(1, STAGES_MAX + 2)) is not None:
                    whole.append(name)
            except Conflict:
                if not self.is_removable(self.stat(name)):
                    raise
        if self.judge(digest, digest, range(1, STAGES_MAX + 2)) is None and whole:
            file = self.open(whole[0], os.O_RDONLY)
            self.sync(file)
            os.close(file)
            os.link(whole[0], digest, src_dir_fd=self.root, dst_dir_fd=self.root, follow_symlinks=False)
            changed()
            self.sync(self.root)
        for name in stages:
            os.unlink(name, dir_fd=self.root)
            changed()
        self.sync(self.root)
        return "absent" if self.judge(digest, digest, [1]) is None else "exact"

    def publish(self, action, data):
        digest = hashlib.sha256(data).hexdigest()
        self.lock(digest, wait=True)
        if self.recover(digest) == "absent":
            self.write_stage(f".ctx-skill-{digest}-{action}.pending", data)
            return self.recover(digest)
        return "exact"


def main(command, root, subject, *rest):
    store = Store(root)
    if command == "read":
        data = store.judge(subject, subject, [1])
        return {"state": "absent"} if data is None else {"state": "exact", "text": data.decode()}
    if command == "publish":
        with open(rest[0], "rb") as file:
            return {"state": store.publish(subject, file.read())}
    if command == "recover":
        store.lock(subject, wait=True)
        return {"state": store.recover(subject)}
    if command == "try":
        return {"state": "busy" if store.lock(subject, wait=False) is None else "free"}
    assert command == "hold", command
    store.lock(subject, wait=True)
    print(json.dumps({"state": "held"}), flush=True)
    sys.stdin.read()
    return {"state": "released"}


try:
    print(json.dumps(main(*sys.argv[1:])))
except Conflict as conflict:
    print(json.dumps({"state": "conflict", "reason": str(conflict)}))
