package kaka.junit;

import kaka.broker.BrokerStartException;
import kaka.broker.KakaBroker;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A broker in memory for the tests of a class, or for each of them: JUnit 5 starts it before and stops it after.
 *
 * <p>As a {@code static} field with {@code @RegisterExtension}, or by {@code @ExtendWith(KakaExtension.class)} on the class, all
 * tests share one; as a field that is not static each test has its own. A test may also take the {@link KakaBroker} as a
 * parameter. JUnit's API is the user's: kaka.jar does not contain it.
 */
public final class KakaExtension
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback, ParameterResolver {
  private final String hocon;
  private KakaBroker broker;
  private boolean isShared;
  private String outermost = ""; // the class that it is shared in, with those nested in it

  public KakaExtension() {
    this("");
  }

  /** @param hocon settings over those of a broker in memory, as in application.conf */
  public KakaExtension(String hocon) {
    this.hocon = "kaka.log.dir = \"\"\n" + hocon;
  }

  /** The one that runs; only between the start and the end of the tests that have it. */
  public KakaBroker broker() {
    if (broker == null) {
      throw new IllegalStateException("no test that has this broker is running");
    }
    return broker;
  }

  /** See {@link KakaBroker#bootstrapServers}. */
  public String bootstrapServers() {
    return broker().bootstrapServers();
  }

  @Override
  public void beforeAll(ExtensionContext context) throws BrokerStartException {
    if (broker == null) { // else a nested class begins
      isShared = true;
      outermost = context.getUniqueId();
      broker = KakaBroker.start(hocon);
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) throws BrokerStartException {
    if (!isShared) {
      broker = KakaBroker.start(hocon);
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (!isShared) {
      stop();
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (isShared && context.getUniqueId().equals(outermost)) {
      stop();
    }
  }

  private void stop() {
    if (broker != null) {
      broker.close();
      broker = null;
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == KakaBroker.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return broker();
  }
}
