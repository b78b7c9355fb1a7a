package org.tsmobile.examples.classify

import java.io.Closeable
import java.nio.ByteBuffer
import org.tsmobile.IValue
import org.tsmobile.Module
import org.tsmobile.Tensor

/** What may be in a picture, and how likely that is. */
data class Guess(val name: String, val probability: Double)

/** classifier.pt: pictures of any size in, names out. One thread at a time uses it. */
class Classifier(private val module: Module) : Closeable {
    /** [pixels] are 0xAARRGGBB, row by row, as Android's bitmaps give them. The likeliest name comes first. */
    fun classify(pixels: IntArray, width: Int, height: Int): List<Guess> {
        require(pixels.size == width * height) { "${pixels.size} pixels are no picture of $width x $height" }
        val bytes: ByteBuffer = Tensor.allocateByteBuffer(3 * pixels.size)
        for (pixel in pixels) {
            bytes.put((pixel shr 16).toByte())
            bytes.put((pixel shr 8).toByte())
            bytes.put(pixel.toByte())
        }
        bytes.rewind()
        val picture = Tensor.fromBlobUnsigned(bytes, longArrayOf(height.toLong(), width.toLong(), 3))
        return module.forward(IValue.from(picture)).toList().map {
            val (name, probability) = it.toTuple()
            Guess(name.toStr(), probability.toDouble())
        }
    }

    override fun close() {
        module.close()
    }
}
