#!/usr/bin/env python3
"""examples/image-classification/ios/Classify.xcodeproj, read by two libraries of others (read_project.mjs), which npm
installs into FOLDER once: what it names is there, nothing in its folders is forgotten, and its script makes the model.
Without node or what npm fetches, the test ends with 77, skipped.

    test_xcode.py FOLDER TSMC"""
import json
import os
import plistlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
IOS = os.path.join(ROOT, "examples/image-classification/ios")
PROJECT = os.path.join(IOS, "Classify.xcodeproj/project.pbxproj")
READERS = {"xcode": "4.0.0", "@bacons/xcode": "1.0.0-alpha.33"}


def want(condition, text):
    if not condition:
        sys.exit("FAIL: " + text)


def skip(why):
    print("SKIPPED: %s: nobody but us has read the Xcode project" % why)
    sys.exit(77)


def install(folder):
    if not shutil.which("node") or not shutil.which("npm"):
        skip("there is no node or no npm")
    if all(os.path.exists(os.path.join(folder, "node_modules", name)) for name in READERS):
        return
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as f:
        json.dump({"private": True, "dependencies": READERS}, f)
    try:
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=100, check=False)
    except subprocess.TimeoutExpired:
        skip("npm install takes too long")
    if done.returncode:
        skip("npm install: " + done.stdout.strip().split("\n")[-1])


def read(folder, project):
    """What the readers find, or None and their complaint."""
    done = subprocess.run(["node", os.path.join(HERE, "read_project.mjs"), project], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr)


def swift_names(folder):
    return {os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".swift")}


def check_objects(project):
    want(project["asWritten"], "Xcode would write the project in another way")
    ids = {}
    for key, entry in project["objects"].items():
        ids.setdefault(entry["isa"], []).append(key)
    cordova = project["cordova"]
    want(cordova["kinds"] == {isa: sorted(keys) for isa, keys in ids.items()}, "the two readers find other objects")
    want(cordova["root"] == project["root"] and cordova["target"] == "Classify", "the root or the target: %s" % cordova)
    # A string of 24 hexadecimal digits is the name of an object.
    named = set(re.findall(r"\b[0-9A-F]{24}\b", json.dumps(project["objects"])))
    want(named == set(project["objects"]), "objects that are not there: %s" % (named - set(project["objects"])))
    want(not project["referrersMissing"], "nothing refers to %s" % project["referrersMissing"])
    print("ok: %d objects, as both readers find them" % len(named))


def check_parts(project):
    want(project["targets"] == 1 and project["type"] == "com.apple.product-type.application", "the target is no app")
    want(set(project["sources"]) == swift_names(os.path.join(IOS, "Classify")), "sources: %s" % project["sources"])
    want(project["resources"] == [os.path.join(IOS, "classifier.tsm")], "resources: %s" % project["resources"])
    with open(os.path.join(IOS, "Classify/ClassifyApp.swift"), encoding="utf-8") as f:
        want('forResource: "classifier", withExtension: "tsm"' in f.read(), "the app looks for another resource")
    with open(os.path.join(ROOT, "toolchain/apple/Package.swift"), encoding="utf-8") as f:
        package = f.read()
    for product in project["products"]:
        want('.library(name: "%s"' % product in package, "the package has no product %s" % product)
        want(any("import %s\n" % product in open(path, encoding="utf-8").read() for path in project["sources"]), "no file imports " + product)
    want(project["products"] and project["packages"] == [os.path.relpath(os.path.join(ROOT, "build/apple"), IOS)],
         "packages: %s" % project["packages"])
    oldest = re.search(r"\.iOS\(\.v(\d+)\)", package)[1] + ".0"
    for settings in project["common"]:
        want(str(settings["IPHONEOS_DEPLOYMENT_TARGET"]) in (oldest, oldest[:-2]), "the package needs iOS " + oldest)
    for settings in project["settings"]:
        with open(os.path.join(IOS, settings["INFOPLIST_FILE"]), "rb") as f:
            info = plistlib.load(f)
        want(info["CFBundlePackageType"] == "APPL" and "UILaunchScreen" in info, "Info.plist: %s" % info)
        # What Xcode puts in the place of $(NAME).
        known = set(settings) | {"DEVELOPMENT_LANGUAGE", "EXECUTABLE_NAME"}
        want(set(re.findall(r"\$\((\w+)\)", str(info))) <= known, "Info.plist has settings that nothing sets: %s" % info)
    print("ok: sources, resources, package, property list")


def expand(text, settings):
    return re.sub(r"\$\((\w+)\)", lambda m: settings[m[1]], text)


def check_script(project, tsmc):
    """The phase that exports the model, as Xcode runs it: settings, inputs and outputs are in the environment."""
    with tempfile.TemporaryDirectory() as folder:
        app = os.path.join(folder, "examples/image-classification/ios")
        os.makedirs(app)
        shutil.copy(os.path.join(IOS, "../classifier.pt"), os.path.dirname(app))
        (script,) = project["scripts"]
        for settings in project["settings"]:
            settings = dict(settings, SRCROOT=app)
            tool = os.path.normpath(expand(settings["TSMC"], settings))
            want(tool == os.path.join(folder, "build/bin/tsmc"), "TSMC is " + tool)
            os.makedirs(os.path.dirname(tool), exist_ok=True)
            if not os.path.lexists(tool):
                os.symlink(tsmc, tool)
            files = {"SCRIPT_%s_FILE_%d" % (kind, n): expand(path, settings)
                     for kind, key in (("INPUT", "inputPaths"), ("OUTPUT", "outputPaths")) for n, path in enumerate(script[key])}
            made = files["SCRIPT_OUTPUT_FILE_0"]
            want(os.path.join(IOS, os.path.relpath(made, app)) in project["resources"], "the script makes %s" % made)
            done = subprocess.run([script["shellPath"], "-c", script["shellScript"]], check=False,
                                  env=dict(files, TSMC=expand(settings["TSMC"], settings), SRCROOT=app))
            want(done.returncode == 0 and os.path.exists(made), "the script does not make the model")
            os.remove(made)
    print("ok: the script makes the model")


def check_refusals(folder):
    """That the readers refuse something: without a bracket, and with an object's name misspelt."""
    with open(PROJECT, encoding="utf-8") as f:
        text = f.read()
    with tempfile.TemporaryDirectory() as place:
        damages = ((");", ";", "Expected string"), ("isa = PBXProject;", "isa = PBXProjekt;", "is not a PBXProject"))
        for n, (old, new, words) in enumerate(damages):
            damaged = os.path.join(place, "%d.xcodeproj" % n, "project.pbxproj")
            os.makedirs(os.path.dirname(damaged))
            with open(damaged, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new, 1))
            _, complaint = read(folder, damaged)
            want(old in text and words in complaint, "%r in the place of %r: %s" % (new, old, complaint))
    print("ok: damaged projects are refused")


def main():
    folder, tsmc = sys.argv[1:]
    install(folder)
    project, complaint = read(folder, PROJECT)
    want(project, complaint)
    check_objects(project)
    check_parts(project)
    check_script(project, tsmc)
    check_refusals(folder)


if __name__ == "__main__":
    main()
