// The functions that libFuzzer calls. It contains the program's main function.

#if FUZZING
  import Dispatch
  import EventLog
  import Foundation

  private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["EVENTLOG_FUZZ"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
      let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
      fatalError("EVENTLOG_FUZZ names no target; there are \(names).")
    }
    return target
  }()

  /// Called by libFuzzer with each input.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      do { try await target.check(input) } catch {
        // Print the finding first: the trap may lose its own message.
        FileHandle.standardError.write(Data("Finding of \(target.rawValue): \(error)\n".utf8))
        fatalError("\(error)")
      }
      isDone.signal()
    }
    isDone.wait()
    return 0
  }

  /// Mutates `count` bytes in place into at most `bytesMax`: libFuzzer's own mutation.
  @_silgen_name("LLVMFuzzerMutate")
  private func mutateBlindly(
    _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ bytesMax: Int
  ) -> Int

  /// Called by libFuzzer to change an input.
  @_cdecl("LLVMFuzzerCustomMutator")
  public func mutateOneInput(
    _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ bytesMax: Int, _ seed: UInt32
  ) -> Int {
    guard let bytes else { return 0 }
    var mutation = StructuredMutation(seed: UInt64(seed), bytesMax: bytesMax) { input, most in
      var buffer = input + [UInt8](repeating: 0, count: max(1, most - input.count))
      let length = buffer.withUnsafeMutableBufferPointer {
        mutateBlindly($0.baseAddress, min(input.count, most), max(1, most))
      }
      return Array(buffer[..<length])
    }
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let output = mutation.mutated(input).prefix(bytesMax)
    if output.isEmpty { return mutateBlindly(bytes, count, bytesMax) }
    UnsafeMutableBufferPointer(start: bytes, count: bytesMax).baseAddress!
      .update(from: Array(output), count: output.count)
    return output.count
  }
#endif
