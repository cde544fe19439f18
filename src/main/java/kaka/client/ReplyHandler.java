package kaka.client;

import kaka.protocol.Response;

/** Waits for the fate of one request: exactly one of the two is called, once, on the loop's thread. */
interface ReplyHandler<R extends Response> {
  /** The broker did it and answered. */
  void answered(R response);

  /**
   * It was refused, or its answer will not come.
   *
   * @param sent whether the broker can have got the whole request; false: it can not have acted on it
   */
  void failed(KakaException failure, boolean sent);
}
