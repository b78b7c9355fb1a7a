// read_project.mjs PROJECT.pbxproj: reads an Xcode project with two libraries that are not ours, and prints as JSON what
// test_xcode.py asks about. @bacons/xcode's model of objects knows their properties; Cordova's xcode has another grammar.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(process.cwd() + '/');
const { XcodeProject } = require('@bacons/xcode');
const { parse, build } = require('@bacons/xcode/json');
const file = process.argv[2];
const text = fs.readFileSync(file, 'utf8');

// As Xcode writes it: another program that saves the project changes nothing.
const again = build(parse(text));
const project = XcodeProject.open(file);
const target = project.rootObject.props.targets[0];
const inPhase = (isa) => target.props.buildPhases.filter((p) => p.isa === isa).flatMap((p) => p.props.files.map((f) => f.props));

const cordova = require('xcode').project(file).parseSync();
const kinds = {};
for (const [isa, section] of Object.entries(cordova.hash.project.objects))
    kinds[isa] = Object.keys(section).filter((id) => !id.endsWith('_comment')).sort();

console.log(JSON.stringify({
    asWritten: again === text,
    objects: parse(text).objects,
    root: parse(text).rootObject,
    cordova: { kinds, root: cordova.hash.project.rootObject, target: cordova.getFirstTarget().firstTarget.name },
    referrersMissing: [...project.values()].filter((o) => o !== project.rootObject && o.getReferrers().length === 0).map((o) => o.uuid),
    targets: project.rootObject.props.targets.length,
    type: target.props.productType,
    sources: inPhase('PBXSourcesBuildPhase').map((f) => f.fileRef.getRealPath()),
    resources: inPhase('PBXResourcesBuildPhase').map((f) => f.fileRef.getRealPath()),
    products: inPhase('PBXFrameworksBuildPhase').map((f) => f.productRef.props.productName),
    packages: project.rootObject.props.packageReferences.map((p) => p.props.relativePath),
    scripts: target.props.buildPhases.filter((p) => p.isa === 'PBXShellScriptBuildPhase').map((p) => p.props),
    settings: target.props.buildConfigurationList.props.buildConfigurations.map((c) => c.props.buildSettings),
    common: project.rootObject.props.buildConfigurationList.props.buildConfigurations.map((c) => c.props.buildSettings),
}));
