package org.tsmobile.examples.classify

import android.app.Activity
import android.content.Intent
import android.graphics.Bitmap
import android.graphics.BitmapFactory
import android.net.Uri
import android.os.Bundle
import android.widget.Button
import android.widget.ImageView
import android.widget.TextView
import java.util.concurrent.Executors
import org.tsmobile.Module

/** Shows a picture that the user chooses, and what the model sees in it. */
class MainActivity : Activity() {
    private val worker = Executors.newSingleThreadExecutor()
    private val classifier by lazy { Classifier(Module.load(assets, "classifier.tsm")) }

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setContentView(R.layout.main)
        findViewById<Button>(R.id.choose).setOnClickListener {
            val intent = Intent(Intent.ACTION_GET_CONTENT).setType("image/*")
            startActivityForResult(intent, CHOOSE)
        }
    }

    override fun onActivityResult(request: Int, result: Int, data: Intent?) {
        super.onActivityResult(request, result, data)
        val uri = data?.data
        if (request == CHOOSE && result == RESULT_OK && uri != null) {
            worker.execute { show(uri) }
        }
    }

    /** On the worker's thread, which alone uses the model. */
    private fun show(uri: Uri) {
        val picture: Bitmap? = contentResolver.openInputStream(uri)?.use { BitmapFactory.decodeStream(it) }
        if (picture == null) {
            runOnUiThread { findViewById<TextView>(R.id.names).text = "this is no picture" }
            return
        }
        val pixels = IntArray(picture.width * picture.height)
        picture.getPixels(pixels, 0, picture.width, 0, 0, picture.width, picture.height)
        val text = try {
            val guesses = classifier.classify(pixels, picture.width, picture.height)
            guesses.joinToString("\n") { "%.1f %%  %s".format(100 * it.probability, it.name) }
        } catch (refused: RuntimeException) {
            refused.message ?: refused.toString()
        }
        runOnUiThread {
            findViewById<ImageView>(R.id.picture).setImageBitmap(picture)
            findViewById<TextView>(R.id.names).text = text
        }
    }

    override fun onDestroy() {
        worker.execute { classifier.close() }
        worker.shutdown()
        super.onDestroy()
    }

    private companion object {
        const val CHOOSE = 1
    }
}
