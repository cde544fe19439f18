package kaka.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers in byte arrays, in the wire's order. */
final class BigEndian {
  private static final VarHandle INT64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT16 = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

  private BigEndian() {}

  static long int64(byte[] bytes, int position) {
    return (long) INT64.get(bytes, position);
  }

  static int int32(byte[] bytes, int position) {
    return (int) INT32.get(bytes, position);
  }

  static int uint16(byte[] bytes, int position) {
    return (short) INT16.get(bytes, position) & 0xffff;
  }

  static void int64(byte[] bytes, int position, long value) {
    INT64.set(bytes, position, value);
  }

  static void int32(byte[] bytes, int position, int value) {
    INT32.set(bytes, position, value);
  }

  static void int16(byte[] bytes, int position, int value) {
    INT16.set(bytes, position, (short) value);
  }
}
