#!/usr/bin/env python3
"""The Android project of examples/image-classification, as far as a machine without Gradle and an SDK can: files that
build tools read are well-formed and name what is there. Android's aapt2 makes an app of manifest and resources, where
it is there (`toolchain/setup.sh java`). The project for iOS: test_xcode.py, tests/swift.

    test_apps.py"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
APPS = os.path.join(ROOT, "examples/image-classification")
ANDROID = "{http://schemas.android.com/apk/res/android}"


def read(*names):
    with open(os.path.join(APPS, *names), encoding="utf-8") as f:
        return f.read()


def want(condition, text):
    if not condition:
        sys.exit("FAIL: " + text)


def sources(folder, ending):
    found = {}
    for where, _, names in os.walk(os.path.join(APPS, folder)):
        for name in names:
            if name.endswith(ending):
                with open(os.path.join(where, name), encoding="utf-8") as f:
                    found[os.path.relpath(os.path.join(where, name), APPS)] = f.read()
    return found


def check_android():
    main = "android/app/src/main"
    pages = {path: xml.fromstring(text) for path, text in sources("android", ".xml").items()}
    kotlin = sources(main, ".kt")
    want(len(pages) >= 3 and kotlin, "the project has %s and %s" % (list(pages), list(kotlin)))
    build = read("android/app/build.gradle.kts")
    namespace = re.search(r'namespace = "(.*)"', build)[1]
    want(re.search(r'include\(":(\w+)"\)', read("android/settings.gradle.kts"))[1] == "app", "settings.gradle.kts includes another folder")
    # Plugins of the module have their versions in the project.
    plugins = set(re.findall(r'id\("([\w.]+)"\)', build))
    want(plugins == set(re.findall(r'id\("([\w.]+)"\) version', read("android/build.gradle.kts"))), "plugins differ: %s" % plugins)
    want(os.path.exists(os.path.join(APPS, "android", re.search(r'rootProject.file\("(.*)"\)', build)[1])), "the model is elsewhere")
    # What the manifest and the code name is there.
    manifest = pages[main + "/AndroidManifest.xml"]
    for activity in manifest.iter("activity"):
        name = activity.get(ANDROID + "name")
        file = "%s/kotlin/%s/%s.kt" % (main, namespace.replace(".", "/"), name.lstrip("."))
        want(file in kotlin and "class %s" % name.lstrip(".") in kotlin[file], "the manifest's activity %s is not in %s" % (name, file))
    strings = {s.get("name") for s in pages[main + "/res/values/strings.xml"].iter("string")}
    ids = set()
    for path, page in pages.items():
        for element in page.iter():
            ids |= {value[5:] for value in element.attrib.values() if value.startswith("@+id/")}
            used = {value[8:] for value in element.attrib.values() if value.startswith("@string/")}
            want(used <= strings, "%s: strings.xml has no %s" % (path, used - strings))
    for path, text in kotlin.items():
        want("package %s\n" % namespace in text, "%s: another package" % path)
        want(set(re.findall(r"R\.id\.(\w+)", text)) <= ids, "%s: a view that no layout has" % path)
        for layout in re.findall(r"R\.layout\.(\w+)", text):
            want("%s/res/layout/%s.xml" % (main, layout) in pages, "%s: no layout %s" % (path, layout))
        for asset in re.findall(r'"([\w.]+\.tsm)"', text):
            want("src/main/assets/" + asset in build, "%s: nothing makes the asset %s" % (path, asset))
    print("ok: Android: %d files of XML, %d of Kotlin, plugins, views, strings, assets" % (len(pages), len(kotlin)))


FRAMEWORK = "/usr/share/android-framework-res/framework-res.apk"


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    want(done.returncode == 0, "%s:\n%s" % (" ".join(command), done.stdout))
    return done.stdout


def check_resources():
    """Android's own tool compiles the resources and links them with the manifest, as Gradle's plugin has it do."""
    if not shutil.which("aapt2") or not os.path.exists(FRAMEWORK):
        print("SKIPPED: no aapt2 or %s, so no tool of Android's read the resources; `toolchain/setup.sh java` installs them" % FRAMEWORK)
        return
    build = read("android/app/build.gradle.kts")
    namespace, least = re.search(r'namespace = "(.*)"', build)[1], re.search(r"minSdk = (\d+)", build)[1]
    with tempfile.TemporaryDirectory() as folder:
        resources, manifest, app = (os.path.join(folder, name) for name in ("res.zip", "AndroidManifest.xml", "app.apk"))
        with open(manifest, "w", encoding="utf-8") as f:  # the plugin puts the namespace there
            f.write(read("android/app/src/main/AndroidManifest.xml").replace("<manifest ", '<manifest package="%s" ' % namespace, 1))
        run("aapt2", "compile", "--dir", os.path.join(APPS, "android/app/src/main/res"), "-o", resources)
        run("aapt2", "link", "-I", FRAMEWORK, "--manifest", manifest, "--min-sdk-version", least, "--java", folder, "-o", app, resources)
        with open(os.path.join(folder, namespace.replace(".", "/"), "R.java"), encoding="utf-8") as f:
            names = set(re.findall(r"int (\w+)=", f.read()))
        used = {name for text in sources("android", ".kt").values() for name in re.findall(r"(?<!android\.)\bR\.\w+\.(\w+)", text)}
        want(used and used <= names, "R.java has no %s" % (used - names))
        said = run("aapt2", "dump", "badging", app)
        want("launchable-activity: name='%s." % namespace in said and "sdkVersion:'%s'" % least in said, said)
    print("ok: aapt2 makes an app of manifest and resources")


if __name__ == "__main__":
    check_android()
    check_resources()
