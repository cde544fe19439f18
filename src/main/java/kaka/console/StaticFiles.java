package kaka.console;

import akka.http.javadsl.model.ContentType;
import akka.http.javadsl.model.ContentTypes;
import akka.http.javadsl.model.HttpRequest;
import akka.http.javadsl.model.HttpResponse;
import akka.http.javadsl.model.headers.RawHeader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The console's own files, out of the jar. A browser may run nothing but these, and show them in no other page; it asks each time
 * whether its copy is still good, which an upgrade of the broker changes.
 */
final class StaticFiles {
  /** No name begins with a dot, so none leads out of the directory. */
  private static final Pattern PATH = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*");

  private static final String DIRECTORY = "/kaka/console/";

  private static final Map<String, ContentType> TYPES =
      Map.of(
          "html", ContentTypes.TEXT_HTML_UTF8,
          "css", ContentTypes.parse("text/css; charset=UTF-8"),
          "js", ContentTypes.parse("text/javascript; charset=UTF-8"),
          "mjs", ContentTypes.parse("text/javascript; charset=UTF-8"),
          "svg", ContentTypes.parse("image/svg+xml"),
          "png", ContentTypes.parse("image/png"),
          "ico", ContentTypes.parse("image/x-icon"),
          "woff2", ContentTypes.parse("font/woff2"),
          "json", ContentTypes.APPLICATION_JSON,
          "txt", ContentTypes.TEXT_PLAIN_UTF8);

  private static final String POLICY =
      "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private StaticFiles() {}

  /** The file of that path below the console's directory, or word that the client has it already; nothing if there is none. */
  static Optional<HttpResponse> find(String path, HttpRequest request) {
    ContentType type = TYPES.get(path.substring(path.lastIndexOf('.') + 1));
    if (type == null || !PATH.matcher(path).matches()) {
      return Optional.empty();
    }
    try (InputStream in = StaticFiles.class.getResourceAsStream(DIRECTORY + path)) {
      return in == null ? Optional.empty() : Optional.of(response(in.readAllBytes(), type, request));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static HttpResponse response(byte[] bytes, ContentType type, HttpRequest request) {
    String tag = "\"" + hashOf(bytes) + "\"";
    boolean isKnown = request.getHeader("If-None-Match").map(header -> header.value().contains(tag)).orElse(false);
    HttpResponse response = isKnown ? HttpResponse.create().withStatus(304) : HttpResponse.create().withEntity(type, bytes);
    return response
        .addHeader(RawHeader.create("ETag", tag))
        .addHeader(RawHeader.create("Cache-Control", "no-cache"))
        .addHeader(RawHeader.create("Content-Security-Policy", POLICY))
        .addHeader(RawHeader.create("X-Content-Type-Options", "nosniff"))
        .addHeader(RawHeader.create("Referrer-Policy", "no-referrer"));
  }

  private static String hashOf(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
