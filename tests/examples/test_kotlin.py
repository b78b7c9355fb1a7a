#!/usr/bin/env python3
"""examples/image-classification/android: its Kotlin is compiled with the package org.tsmobile and with declarations of
what it uses of Android, and the class that calls the model runs on this machine's JVM. The scripts for Gradle are
compiled with declarations of what they use of Gradle and of Android's plugin.

    test_kotlin.py PREFIX TSMC      PREFIX is where tsmobile is installed with the package for Java

Ends with 77, skipped, without a JDK, Kotlin or the package (`toolchain/setup.sh java`)."""
import json
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, os.pardir, "consume"))
from consume import SOURCE, Consumer, fail  # noqa: E402

EXAMPLE = os.path.join(SOURCE, "examples/image-classification")
APP = os.path.join(EXAMPLE, "android/app/src/main/kotlin")
SKIPPED = 77
# Android, as far as the app names it: class, what it extends, members.
ANDROID = {
    "android.app.Activity": ("extends android.content.Context", """
        public static final int RESULT_OK = -1;
        protected void onCreate(android.os.Bundle state) {}
        protected void onActivityResult(int request, int result, android.content.Intent data) {}
        protected void onDestroy() {}
        public void setContentView(int layout) {}
        public <T extends android.view.View> T findViewById(int id) { return null; }
        public void startActivityForResult(android.content.Intent intent, int request) {}
        public final void runOnUiThread(Runnable task) {}"""),
    "android.content.Context": ("", """
        public android.content.res.AssetManager getAssets() { return null; }
        public ContentResolver getContentResolver() { return null; }"""),
    "android.content.ContentResolver": ("", "public java.io.InputStream openInputStream(android.net.Uri uri) { return null; }"),
    "android.content.Intent": ("", """
        public static final String ACTION_GET_CONTENT = "android.intent.action.GET_CONTENT";
        public Intent(String action) {}
        public Intent setType(String type) { return this; }
        public android.net.Uri getData() { return null; }"""),
    "android.graphics.BitmapFactory": ("", "public static Bitmap decodeStream(java.io.InputStream in) { return null; }"),
    "android.net.Uri": ("", ""),
    "android.os.Bundle": ("", ""),
    "android.view.View": ("", """
        public interface OnClickListener { void onClick(View view); }
        public void setOnClickListener(OnClickListener listener) {}"""),
    "android.widget.Button": ("extends TextView", ""),
    "android.widget.ImageView": ("extends android.view.View", "public void setImageBitmap(android.graphics.Bitmap picture) {}"),
    "android.widget.TextView": ("extends android.view.View", """
        public final void setText(CharSequence text) {}
        public CharSequence getText() { return null; }"""),
}
# Gradle and its plugins, as far as the scripts name them.
GRADLE = """
import java.io.File
import kotlin.reflect.*

class Plugin { infix fun version(number: String) = this; infix fun apply(now: Boolean) = this }
class Plugins { fun id(name: String) = Plugin() }
fun plugins(f: Plugins.() -> Unit) = Plugins().f()

class Repositories { fun google() {}; fun mavenCentral() {}; fun gradlePluginPortal() {} }
class PluginManagement { fun repositories(f: Repositories.() -> Unit) = Repositories().f() }
fun pluginManagement(f: PluginManagement.() -> Unit) = PluginManagement().f()
enum class RepositoriesMode { FAIL_ON_PROJECT_REPOS }
class Property<T> { fun set(value: T) {} }
class ResolutionManagement {
    val repositoriesMode = Property<RepositoriesMode>()
    fun repositories(f: Repositories.() -> Unit) = Repositories().f()
}
fun dependencyResolutionManagement(f: ResolutionManagement.() -> Unit) = ResolutionManagement().f()
class Project { var name = ""; fun file(path: String) = File(path) }
val rootProject = Project()
fun include(vararg projects: String) {}

enum class JavaVersion { VERSION_1_8 }
class DefaultConfig { var applicationId = ""; var minSdk = 0; var targetSdk = 0; var versionCode = 0; var versionName = "" }
class AndroidResources { val noCompress: MutableCollection<String> = mutableListOf() }
class CompileOptions { lateinit var sourceCompatibility: JavaVersion; lateinit var targetCompatibility: JavaVersion }
class KotlinOptions { var jvmTarget = "" }
class Android {
    var namespace = ""
    var compileSdk = 0
    fun defaultConfig(f: DefaultConfig.() -> Unit) = DefaultConfig().f()
    fun androidResources(f: AndroidResources.() -> Unit) = AndroidResources().f()
    fun compileOptions(f: CompileOptions.() -> Unit) = CompileOptions().f()
    fun kotlinOptions(f: KotlinOptions.() -> Unit) = KotlinOptions().f()
}
fun android(f: Android.() -> Unit) = Android().f()
class Dependencies { fun implementation(what: Any) {}; fun files(vararg paths: String) = Any() }
fun dependencies(f: Dependencies.() -> Unit) = Dependencies().f()

class Files { fun file(path: Any) {} }
class Exec { val inputs = Files(); val outputs = Files(); fun commandLine(vararg words: Any) {}; fun dependsOn(task: Any) {} }
class Registered { operator fun getValue(owner: Any?, property: KProperty<*>) = this }
class Tasks { fun registering(type: KClass<Exec>, f: Exec.() -> Unit): Registered { Exec().f(); return Registered() }; fun named(name: String, f: Exec.() -> Unit) = Exec().f() }
val tasks = Tasks()
fun file(path: String) = File(path)
fun findProperty(name: String): Any? = null
"""
MAIN = """
import java.io.File
import javax.imageio.ImageIO
import org.tsmobile.Module
import org.tsmobile.examples.classify.Classifier

fun main(arguments: Array<String>) {
    Classifier(Module.load(arguments[0])).use { classifier ->
        for (name in arguments.drop(1)) {
            val picture = ImageIO.read(File(name))
            val pixels = picture.getRGB(0, 0, picture.width, picture.height, null, 0, picture.width)
            for (guess in classifier.classify(pixels, picture.width, picture.height))
                println("${guess.name} ${guess.probability}")
        }
        try {
            classifier.classify(IntArray(5), 2, 3)
        } catch (refused: IllegalArgumentException) {
            println("refused: ${refused.message}")
        }
    }
}
"""


def android(c):
    """The declarations, and the class R that Gradle would make of the resources."""
    for name, (extends, members) in ANDROID.items():
        package, _, short = name.rpartition(".")
        c.write("android/%s.java" % name.replace(".", "/"), "package %s;\npublic class %s %s { %s }\n" % (package, short, extends, members))
    with open(os.path.join(EXAMPLE, "android/app/src/main/res/layout/main.xml"), encoding="utf-8") as f:
        ids = re.findall(r'"@\+id/(\w+)"', f.read())
    c.write("android/R.java", "package org.tsmobile.examples.classify;\npublic final class R {\n"
            "public static final class id { %s }\npublic static final class layout { public static final int main = 1; }\n}\n"
            % " ".join("public static final int %s = %d;" % (name, i) for i, name in enumerate(ids)))


def compile_scripts(c):
    """Each script as the body of a function."""
    scripts = ("settings.gradle.kts", "build.gradle.kts", "app/build.gradle.kts")
    bodies = []
    for n, name in enumerate(scripts):
        with open(os.path.join(EXAMPLE, "android", name), encoding="utf-8") as f:
            bodies.append("fun script%d() {\n%s}\n" % (n, f.read()))
    said = c.run("kotlinc", "-d", "scripts", c.write("gradle.kt", GRADLE), c.write("scripts.kt", "".join(bodies)))
    if re.search(r"scripts\.kt:\d+:\d+: warning(?!: variable 'exportModel' is never used)", said):
        fail(said)
    print("ok: %d scripts for Gradle compiled" % len(scripts))


def java_files(folder):
    return [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names if name.endswith(".java")]


def check_answers(said):
    with open(os.path.join(EXAMPLE, "expected.json"), encoding="utf-8") as f:
        pictures = json.load(f)
    wanted = [(name, p, 1e-2 if picture.endswith(".jpg") else 1e-4) for picture, names in pictures.items() for name, p in names]
    got = re.findall(r"^(\w+) ([\d.E-]+)$", said, re.M)
    if len(got) != len(wanted) or any(a != b or abs(float(x) - y) > near for (a, x), (b, y, near) in zip(got, wanted)):
        fail("Classifier.kt: %s, not %s" % (got, wanted))
    if "refused: 5 pixels are no picture of 2 x 3" not in said:
        fail("a picture of another size: " + said)
    print("ok: Classifier.kt gives PyTorch's names of %d pictures" % len(pictures))


def main():
    prefix, tsmc = sys.argv[1:]
    jar = os.path.join(prefix, "share/java/tsmobile.jar")
    missing = [p for p in ("javac", "kotlinc", "java") if not shutil.which(p)] + [p for p in (jar,) if not os.path.exists(p)]
    if missing:
        print("SKIPPED: %s missing, so the Kotlin of the example was not compiled.\n`toolchain/setup.sh java` installs what is needed."
              % " and ".join(missing))
        sys.exit(SKIPPED)
    with Consumer() as c:
        compile_scripts(c)
        android(c)
        c.write("main.kt", MAIN)
        c.run("javac", "-nowarn", "-cp", jar, "-d", "classes", *java_files(c.path("android")), *java_files(os.path.join(SOURCE, "tests/java/android")))
        kotlin = [os.path.join(top, name) for top, _, names in os.walk(APP) for name in names if name.endswith(".kt")]
        said = c.run("kotlinc", "-jvm-target", "1.8", "-cp", "%s:classes" % jar, "-d", "classes", *kotlin, "main.kt")
        if re.search(r"\.kt:\d+:\d+: warning", said):
            fail(said)
        print("ok: %d files of Kotlin compiled" % len(kotlin))
        c.run(tsmc, os.path.join(EXAMPLE, "classifier.pt"), "-o", "classifier.tsm")
        home = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("kotlinc"))))
        check_answers(c.run("java", "-Xcheck:jni", "-Djava.library.path=%s/lib" % prefix, "-Djava.awt.headless=true", "-cp",
                            ":".join([jar, "classes", os.path.join(home, "lib/kotlin-stdlib.jar")]), "MainKt", "classifier.tsm",
                            os.path.join(EXAMPLE, "star.jpg"), os.path.join(EXAMPLE, "cross.png")))


if __name__ == "__main__":
    main()
