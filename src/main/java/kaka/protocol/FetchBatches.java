package kaka.protocol;

/**
 * FETCH_BATCHES, type 0x0c: as FETCH, but the answer is {@link RecordBatches}, the stored batches as they are, with
 * timestamps and headers.
 *
 * @param fetch what is wanted; its maxBytes bounds the batches, of which one is returned even if it is larger
 */
public record FetchBatches(Fetch fetch) implements Request {
  static FetchBatches decode(WireReader in) throws ProtocolException {
    return new FetchBatches(Fetch.decode(in));
  }

  @Override
  public int type() {
    return MessageType.FETCH_BATCHES;
  }

  @Override
  public void encode(WireWriter out) {
    fetch.encode(out);
  }
}
