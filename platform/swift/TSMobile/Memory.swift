// Memory of the system, and the lock of a module.
import tsmobile
#if canImport(Darwin)
import Darwin
private let anonymous = MAP_PRIVATE | MAP_ANON
#else
import Glibc
private let anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
#endif

/// A mapping, which goes with the object: pages of our own, claimed when they are touched, or a file.
final class Mapping {
    let start: UnsafeMutableRawPointer
    let count: Int

    private init(_ start: UnsafeMutableRawPointer, _ count: Int) {
        self.start = start
        self.count = count
    }

    deinit {
        munmap(start, count)
    }

    /// Nil where the system has none.
    static func pages(_ count: Int) -> Mapping? {
        guard count > 0, let start = mmap(nil, count, PROT_READ | PROT_WRITE, anonymous, -1, 0), start != MAP_FAILED else { return nil }
        return Mapping(start, count)
    }

    /// A whole file, read-only.
    static func file(_ path: String) throws -> Mapping {
        func failed() -> TSMobileError { TSMobileError(.badFile, "\(path): \(String(cString: strerror(errno)))") }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failed() }
        defer { close(file) }
        var about = stat()
        guard fstat(file, &about) == 0 else { throw failed() }
        guard about.st_mode & S_IFMT == S_IFREG, about.st_size > 0 else {
            throw TSMobileError(.badFile, "\(path): the file is empty, or is no file")
        }
        guard let start = mmap(nil, Int(about.st_size), PROT_READ, MAP_PRIVATE, file, 0), start != MAP_FAILED else { throw failed() }
        return Mapping(start, Int(about.st_size))
    }
}

/// A lock that somebody has or has not: nobody waits for it long.
final class Lock {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    func unlock() { pthread_mutex_unlock(mutex) }

    func hold<R>(_ body: () throws -> R) rethrows -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}

/// A clock that only moves forward.
func nanoseconds(_: UnsafeMutableRawPointer?) -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
