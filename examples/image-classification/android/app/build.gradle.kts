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

// Where tsmobile was built: -Ptsmobile=/path/to/build, else in the repository around this folder.
val tsmobile = findProperty("tsmobile") ?: rootProject.file("../../../build").path

dependencies {
    implementation(files("$tsmobile/android/tsmobile.aar"))
}

val exportModel by tasks.registering(Exec::class) {
    val model = rootProject.file("../classifier.pt")
    val program = file("src/main/assets/classifier.tsm")
    inputs.file(model)
    outputs.file(program)
    commandLine("$tsmobile/bin/tsmc", model, "-o", program)
}
tasks.named("preBuild") { dependsOn(exportModel) }
