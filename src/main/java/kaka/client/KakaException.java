package kaka.client;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import kaka.protocol.ErrorCode;
import kaka.protocol.ErrorReply;

/** Why a request to the broker was not done, or may not have been; see {@link Reason} and {@link #isMaybeStored}. */
public final class KakaException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What kind of trouble it is. */
  public enum Reason {
    /** The broker answered with an error; {@link #errorCode} says which. */
    REFUSED(false),
    /** No connection could be made; nothing was sent. */
    NOT_CONNECTED(true),
    /** The connection ended before the answer came. */
    CONNECTION_LOST(true),
    /** The answer did not come in time. */
    NO_ANSWER(true),
    /** It waited for its turn until its time was up; it was not sent. */
    EXPIRED(true),
    /** The broker's bytes make no sense: another service, or a broken one. */
    BAD_ANSWER(false),
    /** What was fetched is damaged or cannot be read by this client. */
    BAD_BATCH(false),
    /** The record does not fit into a frame or the producer's buffer; it was not sent. */
    RECORD_TOO_LARGE(false),
    /** The thread was interrupted while it waited; it was not sent. */
    INTERRUPTED(true),
    /** The client, producer or consumer is closed; it was not sent. */
    CLOSED(false);

    private final boolean retriable;

    Reason(boolean retriable) {
      this.retriable = retriable;
    }
  }

  private final Reason reason;
  private final ErrorCode errorCode;
  private final boolean retriable;
  private final boolean maybeStored;

  KakaException(Reason reason, String message) {
    this(reason, null, reason.retriable, false, message, null);
  }

  KakaException(Reason reason, String message, Throwable cause) {
    this(reason, null, reason.retriable, false, message, cause);
  }

  private KakaException(
      Reason reason, ErrorCode errorCode, boolean retriable, boolean maybeStored, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
    this.errorCode = errorCode;
    this.retriable = retriable;
    this.maybeStored = maybeStored;
  }

  /** What the broker's ERROR says. */
  static KakaException refused(ErrorReply error) {
    ErrorCode known = error.error().orElse(null);
    String name = known == null ? "error " + error.code() : known.name();
    return new KakaException(Reason.REFUSED, known, error.isRetriable(), false, name + ": " + error.message(), null);
  }

  /** The broker's refusal with the error of number {@code code}, which this client may not know. */
  static KakaException refused(int code, String message) {
    return refused(new ErrorReply(code, message));
  }

  /** The same trouble, met while records were on their way that the broker may have stored. */
  KakaException withUnknownOutcome() {
    return new KakaException(
        reason, errorCode, retriable, true, getMessage() + "; outcome unknown: the records may or may not be stored", this);
  }

  /** The same trouble, said with more words. */
  KakaException because(String more) {
    return new KakaException(reason, errorCode, retriable, maybeStored, getMessage() + "; " + more, this);
  }

  public Reason reason() {
    return reason;
  }

  /** The broker's error, if it was one of those this client knows. */
  public Optional<ErrorCode> errorCode() {
    return Optional.ofNullable(errorCode);
  }

  /** Whether it was this error of the broker. */
  public boolean is(ErrorCode code) {
    return errorCode == code;
  }

  /**
   * Whether doing the same again later can succeed without anybody acting first. If {@link #isMaybeStored}, that can store
   * records twice.
   */
  public boolean isRetriable() {
    return retriable;
  }

  /** Whether records that fail with this may be stored all the same; false: the broker has stored none of them. */
  public boolean isMaybeStored() {
    return maybeStored;
  }

  /** What {@code failure}, as a future gives it, stands for. */
  static KakaException of(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException) && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof KakaException known
        ? known
        : new KakaException(Reason.CLOSED, "unexpected " + cause, cause);
  }

  /**
   * Waits for a future that this package gave out. Not for a callback of such a future: that would wait for itself.
   *
   * @throws KakaException what it failed with; this one's stack shows who waited
   * @throws RuntimeException what a function that the caller hung on it has thrown
   */
  public static <T> T await(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException other && !(other instanceof KakaException)) {
        throw other;
      }
      KakaException failure = of(e);
      throw new KakaException(
          failure.reason, failure.errorCode, failure.retriable, failure.maybeStored, failure.getMessage(), failure);
    }
  }
}
