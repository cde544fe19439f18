package kaka.console;

import akka.http.javadsl.model.HttpHeader;
import akka.http.javadsl.model.HttpRequest;
import akka.http.javadsl.model.MediaTypes;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Keeps web sites out that somebody looks at with a browser which reaches this port. A page whose name was made to mean this machine's
 * address (DNS rebinding) calls the API by that name; a page of another origin says so when it writes, and cannot send JSON unasked.
 */
final class ApiGuard {
  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

  private final AdminConfig config;

  ApiGuard(AdminConfig config) {
    this.config = config;
  }

  /** @throws ApiError if the request is not to be looked at */
  void check(HttpRequest request) {
    String host = request.getUri().host().address().toLowerCase(Locale.ROOT);
    if (!isOwnName(host)) {
      throw ApiError.of(403, "forbidden_host", "the API is not called '" + host + "'")
          .advising("use localhost or an address, or add the name to kaka.console.hosts");
    }
  }

  private boolean isOwnName(String host) {
    return host.equals("localhost")
        || IPV4.matcher(host).matches()
        || host.contains(":") // no name has one: an IPv6 address
        || host.equals(config.host().toLowerCase(Locale.ROOT))
        || config.hosts().contains(host);
  }

  /** For a request that may change something. @throws ApiError if it comes from elsewhere, or is no JSON where it has to be */
  void checkWrite(HttpRequest request, boolean hasBody) {
    Optional<String> origin = request.getHeader("Origin").map(HttpHeader::value);
    String host = request.getHeader("Host").map(HttpHeader::value).orElse("");
    if (origin.isPresent() && !origin.get().equals("http://" + host) && !origin.get().equals("https://" + host)) {
      throw ApiError.of(403, "cross_site", "a page of " + origin.get() + " cannot change anything here");
    }
    if (hasBody && !request.entity().getContentType().mediaType().equals(MediaTypes.APPLICATION_JSON)) {
      throw ApiError.of(415, "unsupported_media_type", "the body has to be JSON").advising("send Content-Type: application/json");
    }
  }

  /** @throws ApiError unless the operator lets the API change things */
  void requireWritable() {
    if (!config.canWrite()) {
      throw ApiError.of(403, "read_only", "this API only shows, it changes nothing")
          .advising("start the broker with kaka.console.write = true");
    }
  }
}
