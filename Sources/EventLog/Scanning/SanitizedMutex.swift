#if THREAD_SANITIZER
  typealias Mutex<Value: ~Copyable> = SanitizedMutex<Value>
#endif
