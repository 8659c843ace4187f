/// Memory of one OpenCL kernel while it is enqueued.
public struct OpenCLFrame {
}
