package kaka.protocol;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Cuts a stream of bytes into frames, {@code len u32 | type u8 | body}, where {@code len} counts type and body. The caller
 * pulls, so it can stop in the middle of a chunk:
 *
 * <pre>
 * cutter.feed(array, from, to);
 * while (window.hasRoom() &amp;&amp; cutter.next()) {
 *   handle(cutter.type(), cutter.array(), cutter.bodyFrom(), cutter.bodyTo());
 * }
 * </pre>
 *
 * <p>A frame that lies within one chunk is handed out as a part of that chunk, without a copy. One that crosses chunks is
 * copied into an array of its own, of at most four times the bytes that have arrived, so a declared length alone costs
 * nothing; of a large one the rest can be read into that array without a chunk between: see {@link #fill}; or, if it is larger
 * and the caller wants that, into pieces, which the caller makes one array where there is time for it: {@link #isInPieces}. Arrays
 * that were handed out are never written to again by the cutter.
 *
 * <p>Also says which protocol the stream speaks: see {@link #firstTypeByte}. Not for sharing between threads.
 */
public final class FrameCutter {
  /** Where the bytes of the stream come from. */
  public interface Source {
    /** Reads at most {@code size} bytes, at least 1, to {@code array[from, ...)}; returns how many, 0 if none are there. */
    int read(byte[] array, int from, int size) throws IOException;
  }

  /** Least room for a frame that crosses chunks: holds a small request, costs next to nothing. */
  private static final int PARTIAL_BYTES = 256;

  /** One of a large frame's pieces, once as much has come: next to nothing to make, and few even of the largest. */
  private static final int PIECE_BYTES = 256 << 10;

  private static final byte[] NOTHING = {};
  private static final int LENGTH_BYTES = 4;

  private final int maxFrameBytes;
  private final boolean isKafkaCut;
  private final int maxWholeBytes;

  private byte[] chunk = NOTHING;
  private int position;
  private int limit;

  /** The frame that is not whole yet: its first {@code partialSize} bytes, length field included. */
  private byte[] partial = NOTHING;

  private int partialSize;

  /** The partial frame's bytes behind those in {@link #partial}, if it is so large that it is kept in pieces: all full but the last. */
  private List<byte[]> pieces = List.of();

  private int lastPieceSize;

  /** Bytes still to come of a frame that was given up. */
  private int skipBytes;

  private int firstType = -1;
  private boolean lost;

  private byte[] array = NOTHING;
  private int bodyFrom;
  private int bodyTo;
  private int type;
  private Optional<FramePieces> handedPieces = Optional.empty();

  /** As {@link #FrameCutter(int, boolean, int)}, for our frames only, and none in pieces. */
  public FrameCutter(int maxFrameBytes) {
    this(maxFrameBytes, false, Integer.MAX_VALUE);
  }

  /**
   * @param maxFrameBytes the greatest {@code len} taken, at least 1
   * @param isKafkaCut whether a stream of Kafka's frames is cut too: their type is then the high byte of the api key, always 0
   * @param maxWholeBytes a frame longer than that is handed out in pieces
   */
  public FrameCutter(int maxFrameBytes, boolean isKafkaCut, int maxWholeBytes) {
    if (maxFrameBytes < 1 || maxFrameBytes > Integer.MAX_VALUE - 64) {
      throw new IllegalArgumentException("maxFrameBytes " + maxFrameBytes);
    }
    this.maxFrameBytes = maxFrameBytes;
    this.isKafkaCut = isKafkaCut;
    this.maxWholeBytes = maxWholeBytes;
  }

  /**
   * Takes the next chunk, {@code array[from, to)}. It must not change while the cutter, or a frame cut from it, is in use.
   *
   * @throws IllegalStateException if the last chunk is not used up: pull {@link #next} until {@link #isDrained}
   */
  public void feed(byte[] array, int from, int to) {
    if (position < limit) {
      throw new IllegalStateException((limit - position) + " bytes of the last chunk are left");
    }
    chunk = array;
    position = from;
    limit = to;
  }

  /**
   * Cuts the next frame, which the accessors then describe until the next call of this.
   *
   * @return false if no whole frame is there, or if the stream is Kafka's ({@link #firstTypeByte} is 0) and that is not cut
   * @throws ProtocolException if the length is not legal (0, or more than maxFrameBytes: TOO_LARGE). Framing is lost then:
   *     answer, close, and pull no more
   */
  public boolean next() throws ProtocolException {
    array = NOTHING;
    handedPieces = Optional.empty();
    int skipped = Math.min(skipBytes, limit - position);
    skipBytes -= skipped;
    position += skipped;
    boolean isCut = !lost && !isForeign() && (partialSize > 0 ? continuePartial() : cutFromChunk());
    if (position == limit) {
      chunk = NOTHING; // an idle connection holds no chunk
      position = 0;
      limit = 0;
    }
    return isCut;
  }

  private boolean cutFromChunk() throws ProtocolException {
    int available = limit - position;
    int frameSize = frameSize(chunk, position, available);
    if (isForeign()) {
      return false;
    }
    if (frameSize > 0 && frameSize <= available) {
      handOut(chunk, position, frameSize);
      position += frameSize;
      return true;
    }
    if (available > 0) {
      keep(available, frameSize == 0 ? PARTIAL_BYTES : frameSize);
    }
    return false;
  }

  /** Adds to the partial frame what belongs to it, first the header's bytes alone, since they say how much that is. */
  private boolean continuePartial() throws ProtocolException {
    int header = Limits.FRAME_HEADER_BYTES;
    if (partialSize < header) {
      keep(Math.min(header - partialSize, limit - position), PARTIAL_BYTES);
    }
    int frameSize = frameSize(partial, 0, partialSize);
    if (frameSize == 0 || isForeign()) {
      return false;
    }
    int size = Math.min(frameSize - partialSize, limit - position);
    if (isKeptInPieces(frameSize)) {
      keepInPieces(size, frameSize);
    } else {
      keep(size, frameSize);
    }
    if (partialSize < frameSize) {
      return false;
    }
    if (pieces.isEmpty()) {
      handOut(partial, 0, frameSize);
    } else {
      handedPieces = Optional.of(new FramePieces(partial, frameSize - piecedSize(), pieces, frameSize));
    }
    dropPartial();
    return true;
  }

  private void dropPartial() {
    partial = NOTHING;
    partialSize = 0;
    pieces = List.of();
    lastPieceSize = 0;
  }

  /**
   * What the frame that starts at {@code at} takes, length field included; 0 as long as that cannot be known. The first
   * frame of a stream is not judged by our limit before its type is there: it may be another protocol's.
   */
  private int frameSize(byte[] bytes, int at, int available) throws ProtocolException {
    if (available < LENGTH_BYTES) {
      return 0;
    }
    int length = BigEndian.int32(bytes, at);
    if (length == 0) {
      throw lost(ErrorCode.BAD_REQUEST, "0, but it counts the type, so at least 1");
    }
    if (length < 0) {
      throw tooLarge(length); // nobody's: Kafka's lengths are signed
    }
    boolean isTypeKnown = available > LENGTH_BYTES;
    if (firstType < 0 && isTypeKnown) {
      firstType = bytes[at + LENGTH_BYTES] & 0xff;
    }
    boolean isTooLarge = length > maxFrameBytes;
    if (isTooLarge && firstType >= 0 && !isForeign()) {
      throw tooLarge(length);
    }
    return isTypeKnown && !isTooLarge ? LENGTH_BYTES + length : 0;
  }

  private boolean isForeign() {
    return firstType == 0 && !isKafkaCut;
  }

  private ProtocolException tooLarge(int length) {
    return lost(ErrorCode.TOO_LARGE, Integer.toUnsignedString(length) + " bytes, at most " + maxFrameBytes);
  }

  private ProtocolException lost(ErrorCode code, String what) {
    lost = true;
    dropPartial();
    position = limit;
    return new ProtocolException(code, "len", 0, what);
  }

  private void handOut(byte[] bytes, int at, int frameSize) {
    array = bytes;
    type = bytes[at + LENGTH_BYTES] & 0xff;
    bodyFrom = at + Limits.FRAME_HEADER_BYTES;
    bodyTo = at + frameSize;
  }

  /** Moves {@code size} bytes from the chunk to the partial frame, which will never be longer than {@code frameSize}. */
  private void keep(int size, int frameSize) {
    int needed = partialSize + size;
    if (needed > partial.length) {
      grow(Math.max(PARTIAL_BYTES, 2L * needed), needed, frameSize); // so the rest of a frame mostly finds room for itself
    }
    System.arraycopy(chunk, position, partial, partialSize, size);
    partialSize = needed;
    position += size;
  }

  /** @param needed of those at least */
  private void grow(long size, int needed, int frameSize) {
    long most = frameSize <= maxWholeBytes ? frameSize : Math.max(needed, PIECE_BYTES); // the rest will be in pieces
    partial = Arrays.copyOf(partial, (int) Math.min(size, most));
  }

  /** The same, behind what is kept in one array already. */
  private void keepInPieces(int size, int frameSize) {
    for (int left = size; left > 0; ) {
      byte[] piece = openPiece(frameSize);
      int count = Math.min(left, piece.length - lastPieceSize);
      System.arraycopy(chunk, position, piece, lastPieceSize, count);
      lastPieceSize += count;
      partialSize += count;
      position += count;
      left -= count;
    }
  }

  /** The last piece, which has room. */
  private byte[] openPiece(int frameSize) {
    if (pieces.isEmpty() || lastPieceSize == PIECE_BYTES) {
      pieces = pieces.isEmpty() ? new ArrayList<>() : pieces;
      pieces.add(new byte[Math.min(PIECE_BYTES, frameSize - partialSize)]);
      lastPieceSize = 0;
    }
    return pieces.get(pieces.size() - 1);
  }

  private int piecedSize() {
    return pieces.isEmpty() ? 0 : (pieces.size() - 1) * PIECE_BYTES + lastPieceSize;
  }

  private boolean isKeptInPieces(int frameSize) {
    return frameSize > maxWholeBytes && partialSize >= PIECE_BYTES;
  }

  /**
   * What is still to come of a frame of which so much is kept that its length is known; 0 if there is none. Asked when {@link #next} has
   * found no more.
   */
  public int missingBytes() {
    return partialSize < Limits.FRAME_HEADER_BYTES || isForeign() ? 0 : LENGTH_BYTES + BigEndian.int32(partial, 0) - partialSize;
  }

  /**
   * Reads once from {@code source}, which is to go on where the chunks ended, what is missing of that frame or a part of it; then pull
   * {@link #next}. Only when {@link #missingBytes} is above 0 and everything that was fed is used up.
   *
   * @return how many bytes
   */
  public int fill(Source source) throws IOException {
    int missing = missingBytes();
    if (missing == 0 || position < limit) {
      throw new IllegalStateException("missing " + missing + ", left " + (limit - position));
    }
    int frameSize = partialSize + missing;
    int size;
    if (isKeptInPieces(frameSize)) {
      byte[] piece = openPiece(frameSize);
      size = source.read(piece, lastPieceSize, piece.length - lastPieceSize);
      lastPieceSize += size;
    } else {
      if (partialSize == partial.length) {
        grow(4L * partialSize, partialSize, frameSize);
      }
      size = source.read(partial, partialSize, Math.min(missing, partial.length - partialSize));
    }
    partialSize += size;
    return size;
  }

  /**
   * Gives up the frame that is not whole yet, for want of memory: lets go of what was kept of it and passes over the rest as it
   * comes; the frame after it is the next. Only when {@link #bufferedBytes} says that more is kept than a header.
   */
  public void skipPartial() {
    if (partialSize < Limits.FRAME_HEADER_BYTES) {
      throw new IllegalStateException("of a frame whose length is not known yet");
    }
    skipBytes = LENGTH_BYTES + BigEndian.int32(partial, 0) - partialSize;
    dropPartial();
  }

  /** Lets go of everything that is kept: the stream cannot be cut any further. */
  public void drop() {
    dropPartial();
    chunk = NOTHING;
    position = 0;
    limit = 0;
    skipBytes = 0;
    taken();
  }

  /** The last frame was used: nothing of it is kept here, though the next may be long in coming. */
  public void taken() {
    array = NOTHING;
  }

  /** Whether the last frame is in {@link FramePieces}, which are to be {@link #joined} before the accessors describe it. */
  public boolean isInPieces() {
    return handedPieces.isPresent();
  }

  /** The last frame's; only if it {@link #isInPieces}. They are the caller's. */
  public FramePieces takePieces() {
    FramePieces taken = handedPieces.orElseThrow();
    handedPieces = Optional.empty();
    return taken;
  }

  /** The last frame is all of {@code whole}: see {@link FramePieces#join}. */
  public void joined(byte[] whole) {
    handOut(whole, 0, whole.length);
  }

  /** The array that the last frame lies in. */
  public byte[] array() {
    return array;
  }

  /** Where the last frame's body starts in {@link #array}. */
  public int bodyFrom() {
    return bodyFrom;
  }

  /** Where the last frame's body ends in {@link #array}. */
  public int bodyTo() {
    return bodyTo;
  }

  /** The last frame's type, 0 to 255. */
  public int type() {
    return type;
  }

  /** Bytes of memory held for a frame that is not whole yet. */
  public int bufferedBytes() {
    return partial.length + (pieces.isEmpty() ? 0 : (pieces.size() - 1) * PIECE_BYTES + pieces.get(pieces.size() - 1).length);
  }

  /** Whether a frame has begun, or is passed over, and is not whole yet; asked when {@link #next} has found no more. */
  public boolean isInFrame() {
    return partialSize > 0 || skipBytes > 0;
  }

  /** Whether nothing is left of the last chunk, which is let go of then. */
  public boolean isChunkUsed() {
    return position == limit;
  }

  /** Whether nothing is left of the last chunk, nor a frame that {@link #fill} made whole, so that the next can be fed. */
  public boolean isDrained() {
    return position == limit && (partialSize < Limits.FRAME_HEADER_BYTES || isForeign() || missingBytes() > 0);
  }

  /**
   * The fifth byte of the stream, the first frame's type, as soon as it has arrived. 0 is no type of ours but the high byte
   * of a Kafka request's api key.
   */
  public OptionalInt firstTypeByte() {
    return firstType < 0 ? OptionalInt.empty() : OptionalInt.of(firstType);
  }
}
