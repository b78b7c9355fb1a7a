plugins {
    id("com.android.application")
    id("org.jetbrains.kotlin.android")
}

android {
    namespace = "org.tsmobile.examples.classify"
    compileSdk = 34
    defaultConfig {
        applicationId = "org.tsmobile.examples.classify"
        minSdk = 21
        targetSdk = 34
        versionCode = 1
        versionName = "1.0"
    }
    // A program is used where it lies, so it is not compressed.
    androidResources {
        noCompress += "tsm"
    }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_1_8
        targetCompatibility = JavaVersion.VERSION_1_8
    }
    kotlinOptions {
        jvmTarget = "1.8"
    }
}

dependencies {
    // cmake --build build --target aar
    implementation(files("libs/tsmobile.aar"))
}

// tsmc of this machine: -Ptsmc=/path/to/tsmc, or in PATH.
val exportModel by tasks.registering(Exec::class) {
    val model = rootProject.file("../classifier.pt")
    val program = file("src/main/assets/classifier.tsm")
    inputs.file(model)
    outputs.file(program)
    commandLine(findProperty("tsmc") ?: "tsmc", model, "-o", program)
}
tasks.named("preBuild") { dependsOn(exportModel) }
