package kaka.checks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The judge of {@code ops/checks/damage.sh}: damages a stopped broker's files at random, again and again, each time in a fresh
 * copy, and requires that nothing wrong is served and nothing is left out unsaid.
 *
 * <pre>DAMAGES [SEED]     exit 1 at the first damage that is not dealt with as it must be</pre>
 */
final class DamageCheck {
  private DamageCheck() {}

  public static void main(String[] args) throws Exception {
    int count = args.length > 0 ? Integer.parseInt(args[0]) : 500;
    long seed = args.length > 1 ? Long.parseLong(args[1]) : System.nanoTime();
    System.out.println("seed " + seed);
    Path work = Files.createTempDirectory("kaka-damage");
    long startNs = System.nanoTime();
    try {
      System.out.println(run(count, seed, work));
    } catch (AssertionError e) {
      System.out.println("seed " + seed + ": " + e.getMessage());
      System.exit(1);
    } finally {
      DamageImage.delete(work);
    }
    System.out.println(count + " damages in " + (System.nanoTime() - startNs) / 1_000_000_000 + " s: nothing wrong was served");
    System.exit(0);
  }

  /** @return how often each outcome came, by kind of file */
  static String run(int count, long seed, Path work) throws Exception {
    Random random = new Random(seed);
    DamageImage[] images = new DamageImage[2];
    Map<String, Map<DamageTrial.Outcome, Integer>> outcomes = new TreeMap<>();
    for (int i = 0; i < count; i++) {
      int which = i % 2; // stopped, killed
      if (images[which] == null) {
        images[which] = DamageImage.make(work.resolve("make-" + which), which == 1, random);
      }
      Damage damage = Damage.random(images[which].files, random);
      DamageTrial.Outcome outcome = new DamageTrial(images[which], damage, work.resolve("data"), random).run();
      outcomes
          .computeIfAbsent(kindOf(damage), kind -> new EnumMap<>(DamageTrial.Outcome.class))
          .merge(outcome, 1, Integer::sum);
    }
    StringBuilder text = new StringBuilder();
    outcomes.forEach((kind, each) -> text.append(String.format("%-28s %s%n", kind, each)));
    return text.toString().stripTrailing();
  }

  private static String kindOf(Damage damage) {
    String name = damage.file().substring(damage.file().lastIndexOf('/') + 1);
    String kind = name.matches("\\d{20}\\..*") ? "*" + name.substring(20) : name;
    return damage.directory().startsWith("__") ? damage.directory() + "/" + kind : kind;
  }
}
